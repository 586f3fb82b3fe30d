# The public names: each is imported when it is used, as io/lazy does.

from qaldgen.plugins.serving.system_server import RunningServer as RunningServer
from qaldgen.plugins.serving.system_server import serve as serve
