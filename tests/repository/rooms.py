"""Who may include whom: the table of docs/architecture.md, as data.

A room may include itself and the rooms named here; a system or third-party header only if no
pattern of FORBIDDEN matches it. Left to right, as data flows; nothing points left to right twice.
"""

ROOMS = {
    "problem": [],
    "compile": ["problem"],
    "ptx": ["problem", "compile"],
    "simt": ["problem", "compile", "ptx"],
    "record": ["problem", "compile", "ptx", "simt"],
    "insight": ["problem", "compile", "ptx", "simt", "record"],
    "gpu": ["problem", "compile"],
    "timing": ["problem", "compile", "ptx", "gpu"],
    "state": ["problem", "compile", "ptx", "simt", "record"],
    "lesson": ["problem", "compile", "ptx", "simt", "record", "state"],
    "explain": ["problem", "compile", "ptx", "simt", "record", "insight", "timing", "state"],
}
ROOMS["workspace"] = [*ROOMS]
ROOMS["ui"] = [*ROOMS]
ROOMS["platform"] = ["ui"]
ROOMS["cli"] = [room for room in ROOMS if room not in ("ui", "platform")]

IMGUI = r"^(imgui|implot|imcmd_|TextEditor|TextDiff)"
GL = r"^(GL|GLES\d?|EGL|GLFW|glad|KHR)/"
NVRTC = r"^nvrtc"
CUDA = r"^(cuda|cublas|nvml)"
FILES = r"^(fstream|fcntl\.h|unistd\.h|sys/)"
CLOCKS = r"^(chrono|ctime|time\.h)$"
THREADS = r"^(thread|mutex|shared_mutex|condition_variable|future|pthread\.h)$"

FORBIDDEN = {room: [IMGUI, GL, NVRTC, CUDA] for room in ROOMS}
FORBIDDEN["compile"] = [IMGUI, GL, CUDA]
FORBIDDEN["gpu"] = [IMGUI, GL, NVRTC]
FORBIDDEN["ui"] = [GL, NVRTC, CUDA, FILES]
FORBIDDEN["platform"] = [NVRTC, CUDA]
# Same input, same bytes: the machine, the analyses and the state know no clock, file or thread
# (<atomic> is allowed: a caller's cancel flag).
for pure in ("simt", "insight", "state", "explain"):
    FORBIDDEN[pure] = [IMGUI, GL, NVRTC, CUDA, FILES, r"^filesystem$", CLOCKS, THREADS]
