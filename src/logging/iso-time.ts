let second = Number.NaN
let secondText = ''
let last = Number.NaN
let lastTime = ''

/** ISO 8601 in UTC with milliseconds. Events come many to a second, and some to a millisecond: their text is kept. */
export function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds)
  if (whole === last) return lastTime
  const rest = ((whole % 1000) + 1000) % 1000
  if (whole - rest !== second) {
    second = whole - rest
    secondText = new Date(second).toISOString().slice(0, -4)
  }
  last = whole
  lastTime = `${secondText}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
  return lastTime
}
