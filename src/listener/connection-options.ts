import { equalsIgnoreCase } from '#http'

// Options of Connection that a server acts on (RFC 9110 section 7.6.1), as bits.
export const close = 1
export const keepAlive = 2
export const upgrade = 4

/** The options in a value of Connection. */
export function connectionOptions(value: string): number {
  if (value === 'keep-alive') return keepAlive
  if (value === 'close') return close
  let options = 0
  for (const part of value.split(',')) options |= optionOf(part.trim())
  return options
}

function optionOf(option: string): number {
  if (equalsIgnoreCase(option, 'close')) return close
  if (equalsIgnoreCase(option, 'keep-alive')) return keepAlive
  return equalsIgnoreCase(option, 'upgrade') ? upgrade : 0
}
