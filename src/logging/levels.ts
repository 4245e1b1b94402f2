/** Log levels, from the most to the least verbose. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

const ORDER: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

/** Whether an entry of a level is written by a logger with the level `least`. */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return ORDER.indexOf(level) >= ORDER.indexOf(least)
}

/** Levels by logger name or prefix; the longest match applies. */
export type LevelsByName = Readonly<Record<string, LogLevel>>

// A qualified name is made of parts joined by `+` (objects in routes) or `.` (gateway internals).
function covers(prefix: string, name: string): boolean {
  if (!name.startsWith(prefix)) return false
  const next = name[prefix.length]
  return next === undefined || next === '+' || next === '.'
}

/** The level of one logger name: that of the longest configured prefix of whole name parts, otherwise the fallback. */
export function levelOf(name: string, levels: LevelsByName, fallback: LogLevel): LogLevel {
  let longest = -1
  let level = fallback
  for (const [prefix, candidate] of Object.entries(levels)) {
    if (prefix.length > longest && covers(prefix, name)) {
      longest = prefix.length
      level = candidate
    }
  }
  return level
}
