/** A time of the day and days of the week, in UTC. */
export interface SimpleTime {
  readonly type: 'SimpleTime'
  /** `08:00` */
  readonly startTime?: string
  readonly endTime?: string
  /** `mon` */
  readonly startDay?: string
  readonly endDay?: string
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Whether the time is within the window, and when that may change next. */
export function timeWindow(window: SimpleTime, now: number): { readonly within: boolean; readonly until: number } {
  const midnight = Math.floor(now / DAY) * DAY
  const start = midnight + minutesOf(window.startTime, 0) * MINUTE
  const end = midnight + minutesOf(window.endTime, 24 * 60) * MINUTE
  const today = new Date(now).getUTCDay()
  const first = dayOf(window.startDay, 0)
  const last = dayOf(window.endDay, 6)
  const isDay = first <= last ? today >= first && today <= last : today >= first || today <= last
  const changes = [start, end, midnight + DAY].filter((time) => time > now)
  return { within: isDay && now >= start && now < end, until: Math.min(...changes) }
}

function minutesOf(text: string | undefined, fallback: number): number {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text ?? '')
  return match === null ? fallback : Number(match[1]) * 60 + Number(match[2])
}

function dayOf(text: string | undefined, fallback: number): number {
  const day = DAYS.indexOf((text ?? '').toLowerCase())
  return day < 0 ? fallback : day
}
