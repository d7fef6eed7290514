"""Who may include whom: the table of docs/architecture.md, as data.

A room may include itself and the rooms named here; a system or third-party header only if no
pattern of FORBIDDEN matches it. Left to right, as data flows; nothing points left to right twice.
"""

ROOMS = {
    "problem": [],
    "compile": ["problem"],
    "ptx": ["problem"],
    "simt": ["problem", "ptx"],
    "loading": ["problem", "compile", "ptx", "simt"],
    "record": ["problem", "ptx", "simt"],
    "insight": ["problem", "ptx", "simt", "record"],
    "clock": ["problem", "compile", "ptx", "simt", "loading", "record", "insight"],
    "narration": ["problem", "ptx", "simt", "record", "insight"],
    "gpu": ["problem", "compile"],
    "timing": ["problem", "compile", "ptx", "simt", "loading", "gpu"],
    "state": ["problem", "ptx", "simt", "record"],
    "lesson": ["problem", "ptx", "simt", "record", "state"],
    "analysis": ["problem", "ptx", "simt", "record", "insight", "timing", "state"],
    "course": [
        "problem", "compile", "ptx", "simt", "loading", "record", "insight", "clock", "timing", "state", "lesson",
        "analysis",
    ],
}
ROOMS["workspace"] = [*ROOMS]
ROOMS["ui"] = [*ROOMS]
ROOMS["platform"] = ["problem", "ui"]
ROOMS["cli"] = [room for room in ROOMS if room not in ("ui", "platform")]
ROOMS["program"] = [*ROOMS]

# Wings: folders of a room. A wing may include itself and the wings in its row; a room's own folder
# ("simt": its files outside wings) has a row as well. Other rooms may include any wing.
WINGS = {
    "problem": [],
    "problem/values": ["problem"],
    "problem/launch": ["problem", "problem/values"],
    "problem/source": ["problem"],
    "problem/describe": ["problem", "problem/values", "problem/launch", "problem/source"],
    "problem/propose": ["problem", "problem/values", "problem/launch", "problem/source", "problem/describe"],
    "ptx/model": [],
    "ptx/text": ["ptx/model"],
    "ptx/dwarf": ["ptx/model", "ptx/text"],
    "ptx/sass": ["ptx/model", "ptx/text", "ptx/dwarf"],
    "ptx": ["ptx/model", "ptx/text", "ptx/dwarf", "ptx/sass"],
    "simt/state": [],
    "simt/exec": ["simt/state"],
    "simt/bind": ["simt/state", "simt/exec"],
    "simt/machine": ["simt/state", "simt/exec", "simt/bind"],
    "insight": [],
    "insight/count": ["insight"],
    "insight/check": ["insight", "insight/count"],
    "insight/trace": ["insight"],
    "insight/events": ["insight", "insight/count", "insight/check", "insight/trace"],
    "insight/compare": ["insight", "insight/trace"],
    "insight/occupancy": ["insight"],
    "ui": [
        "ui/stage", "ui/paint", "ui/source", "ui/lesson", "ui/compare", "ui/timeline", "ui/inspector", "ui/timing",
    ],
    "ui/stage": ["ui", "ui/lesson", "ui/timeline", "ui/paint"],
    "ui/paint": ["ui", "ui/stage"],
    "ui/source": ["ui", "ui/stage", "ui/lesson", "ui/inspector"],
    "ui/lesson": ["ui", "ui/stage", "ui/paint", "ui/source", "ui/compare"],
    "ui/compare": ["ui", "ui/stage", "ui/source", "ui/timeline", "ui/inspector"],
    "ui/timeline": ["ui", "ui/stage", "ui/compare"],
    "ui/inspector": ["ui", "ui/stage", "ui/paint"],
    "ui/timing": ["ui"],
}

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
FORBIDDEN["program"] = [NVRTC, CUDA]
# Same input, same bytes: the emulator, the analyses and the state use no clock, file or thread
# (<atomic> is allowed: a caller's cancel flag).
for pure in ("ptx", "simt", "insight", "narration", "state", "analysis"):
    FORBIDDEN[pure] = [IMGUI, GL, NVRTC, CUDA, FILES, r"^filesystem$", CLOCKS, THREADS]
