let second = Number.NaN
let text = ''

/** ISO 8601 in UTC with milliseconds. Events come many to a second: the text up to it is formatted once. */
export function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds)
  const rest = ((whole % 1000) + 1000) % 1000
  if (whole - rest !== second) {
    second = whole - rest
    text = new Date(second).toISOString().slice(0, -4)
  }
  return `${text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}
