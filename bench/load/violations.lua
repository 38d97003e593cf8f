-- wrk's requests: each a traffic violation with the next id, or, where `cycle`
-- is above 0, with one of that many ids a thread again and again. Where a rate
-- is given, each waits for its time: evenly spread, as long as a connection is free.
-- Where a number of subjects is given, ids repeat after as many requests, and each body has another text.
-- Arguments: file before the id, file after it, first id, ids a thread may use, cycle, requests a second of a thread
-- (0: no rate), subjects (0: each event has its own).

local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } instant;
  int clock_gettime(int clock, instant *now);
]]
local MONOTONIC = 1
local instant = ffi.new("instant")

local function milliseconds()
  ffi.C.clock_gettime(MONOTONIC, instant)
  return tonumber(instant.seconds) * 1e3 + tonumber(instant.nanoseconds) / 1e6
end

local threads = 0

function setup(thread)
  thread:set("index", threads)
  threads = threads + 1
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

-- Ten characters of the location, which a number replaces.
local PLACE = "Avenida Ma"

local before, after, first, cycle, sent, subjects, between

function init(args)
  before, after = read(args[1]), read(args[2])
  first = tonumber(args[3]) + index * tonumber(args[4])
  cycle = tonumber(args[5])
  sent = 0
  local perSecond = tonumber(args[6])
  if perSecond > 0 then pace(1e3 / perSecond) end
  subjects = tonumber(args[7])
  if subjects > 0 then
    local from, to = assert(after:find(PLACE, 1, true))
    between, after = after:sub(1, from - 1), after:sub(to + 1)
  end
end

-- wrk asks for a delay before each request only where there is this function.
function pace(interval)
  local asked, start = 0, milliseconds()
  delay = function()
    local due = start + asked * interval
    asked = asked + 1
    return math.max(0, math.floor(due - milliseconds() + 0.5))
  end
end

local headers = { ["content-type"] = "application/json" }

function request()
  if subjects > 0 then
    local number = first + sent
    sent = sent + 1
    local body = string.format("%s%d%s%010d%s", before, first + sent % subjects, between, number, after)
    return wrk.format("POST", nil, headers, body)
  end
  local id = first + (cycle > 0 and sent % cycle or sent)
  sent = sent + 1
  return wrk.format("POST", nil, headers, before .. string.format("%d", id) .. after)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failures":%d}\n',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
