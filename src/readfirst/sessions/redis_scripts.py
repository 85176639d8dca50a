"""What the Redis server does for `RedisStore`: each call is one script, which it runs whole and nobody sees half of.

Names, where SESSION is percent-encoded and so holds no colon:

    readfirst:sessions                  sorted set: SESSION by its last use
    readfirst:SESSION:record:KEY        one record, as `serial.pack` writes it
    readfirst:SESSION:history:KEY       one history
    readfirst:SESSION:used              sorted set: KEY of each record by its last use
    readfirst:SESSION:content           sorted set: the same, of those that keep content
    readfirst:SESSION:kept              hash: KEY -> bytes of content kept; the empty field is their sum
    readfirst:SESSION:identities        hash: KEY -> device:inode
    readfirst:SESSION:names             hash: device:inode -> the KEY last kept for it
    readfirst:SESSION:changed           sorted set: KEY of each history by its last change

Each of them expires by itself, an index never before what it names. The server may lose any of them sooner (when its
memory is short): what is left without its index, or the reverse, counts as forgotten and is cleared when it is met.

Written for Redis 6.2, without what came later (fields that expire). Not for a cluster: keys are not declared.
"""

from __future__ import annotations

from typing import Final

_SHARED: Final = """
local name, now, oldest, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local call, sessions, base = redis.call, 'readfirst:sessions', 'readfirst:' .. ARGV[1] .. ':'
local used, content, kept = base .. 'used', base .. 'content', base .. 'kept'
local identities, names, changed = base .. 'identities', base .. 'names', base .. 'changed'

local function record(key) return base .. 'record:' .. key end
local function history(key) return base .. 'history:' .. key end

local function live(index, key)
  local score = call('ZSCORE', index, key)
  return score and tonumber(score) >= tonumber(oldest)
end

local function forget_content(key)
  local bytes = call('HGET', kept, key)
  if bytes then
    call('HINCRBY', kept, '', 0 - bytes)
    call('HDEL', kept, key)
  end
  call('ZREM', content, key)
  return bytes or 0
end

local function forget(key)
  forget_content(key)
  local identity = call('HGET', identities, key)
  if identity then
    call('HDEL', identities, key)
    if call('HGET', names, identity) == key then call('HDEL', names, identity) end
  end
  call('ZREM', used, key)
  call('UNLINK', record(key))
end

local function forget_history(key)
  call('ZREM', changed, key)
  call('UNLINK', history(key))
end

local function bound(index, limit, remove)
  for _, key in ipairs(call('ZRANGEBYSCORE', index, '-inf', '(' .. oldest)) do remove(key) end
  local over = call('ZCARD', index) - limit
  if over > 0 then
    for _, key in ipairs(call('ZRANGE', index, 0, over - 1)) do remove(key) end
  end
end

local function forget_session(other)
  local at = 'readfirst:' .. other .. ':'
  for index, kind in pairs({used = 'record:', changed = 'history:'}) do
    for _, key in ipairs(call('ZRANGE', at .. index, 0, -1)) do call('UNLINK', at .. kind .. key) end
  end
  for _, index in ipairs({'used', 'content', 'kept', 'identities', 'names', 'changed'}) do
    call('UNLINK', at .. index)
  end
  call('ZREM', sessions, other)
end

local function touch()
  call('ZADD', sessions, now, name)
  for _, index in ipairs({sessions, used, content, kept, identities, names, changed}) do
    call('PEXPIRE', index, ttl)
  end
end
"""

GET: Final = (
    _SHARED
    + """
local key = ARGV[5]
local value = live(used, key) and call('GETEX', record(key), 'PX', ttl)
if not value then
  forget(key)
  return false
end
call('ZADD', used, now, key)
call('ZADD', content, 'XX', now, key)
touch()
return {value, call('HGET', kept, key)}
"""
)
"""Gives the value, and nothing in place of the bytes of content when it was dropped."""

PUT: Final = (
    _SHARED
    + """
local key, value, bytes, identity = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local most_records, most_bytes, most_sessions = ARGV[9], tonumber(ARGV[10]), ARGV[11]
forget(key)
call('SET', record(key), value, 'PX', ttl)
call('ZADD', used, now, key)
if bytes ~= '' then
  call('HSET', kept, key, bytes)
  call('HINCRBY', kept, '', bytes)
  if bytes ~= '0' then call('ZADD', content, now, key) end
end
if identity ~= '' then
  call('HSET', identities, key, identity)
  call('HSET', names, identity, key)
end
bound(used, most_records, forget)
while tonumber(call('HGET', kept, '') or 0) > most_bytes do
  local first = call('ZPOPMIN', content)[1]
  if not first then
    call('DEL', kept)
    break
  end
  local length = call('STRLEN', record(first))
  local size = forget_content(first)
  if length > 0 then
    call('SET', record(first), call('GETRANGE', record(first), 0, length - size - 1), 'KEEPTTL')
  end
end
touch()
bound(sessions, most_sessions, forget_session)
"""
)
"""Content is the end of a value (`serial.pack`): it is cut off, the oldest first, until the rest fits."""

DROP: Final = _SHARED + "forget(ARGV[5])"

FIND: Final = (
    _SHARED
    + """
local key = call('HGET', names, ARGV[5])
return key and live(used, key) and call('EXISTS', record(key)) == 1 and key
"""
)

HISTORY: Final = _SHARED + "return live(changed, ARGV[5]) and call('GET', history(ARGV[5]))"

PUT_HISTORY: Final = (
    _SHARED
    + """
local key, value, most_histories, most_sessions = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
if value == '' then
  forget_history(key)
  return
end
call('SET', history(key), value, 'PX', ttl)
call('ZADD', changed, now, key)
bound(changed, most_histories, forget_history)
touch()
bound(sessions, most_sessions, forget_session)
"""
)

HISTORIES: Final = (
    _SHARED
    + """
local found = {}
for _, key in ipairs(call('ZRANGEBYSCORE', changed, oldest, '+inf')) do
  local value = call('GET', history(key))
  if value then table.insert(found, {key, value}) end
end
return found
"""
)

MOVE: Final = (
    _SHARED
    + """
local old, new = ARGV[5], ARGV[6]
local below = old .. '/'

local function move(index, from, to)
  local score = call('ZSCORE', index, from)
  if score then
    call('ZADD', index, score, to)
    call('ZREM', index, from)
  end
end

local function move_field(hash, from, to)
  local value = call('HGET', hash, from)
  if value then
    call('HSET', hash, to, value)
    call('HDEL', hash, from)
  end
  return value
end

for _, key in ipairs(call('ZRANGE', used, 0, -1)) do
  if key == old or string.sub(key, 1, #below) == below then
    local moved = new .. string.sub(key, #old + 1)
    if call('EXISTS', record(key)) == 0 then
      forget(key)
    else
      forget(moved)
      call('RENAME', record(key), record(moved))
      move(used, key, moved)
      move(content, key, moved)
      move_field(kept, key, moved)
      local identity = move_field(identities, key, moved)
      if identity and call('HGET', names, identity) == key then call('HSET', names, identity, moved) end
    end
  end
end
for _, key in ipairs(call('ZRANGE', changed, 0, -1)) do
  if string.sub(key, 1, #below) == below then
    local moved = new .. string.sub(key, #old + 1)
    if call('EXISTS', history(key)) == 0 then
      forget_history(key)
    else
      call('RENAME', history(key), history(moved))
      move(changed, key, moved)
    end
  end
end
"""
)
