import type { Request } from '#http'

/** Whether a client accepts a content coding (RFC 9110, section 12.5.3). */
export function acceptsCoding({ headers }: Request, coding: string): boolean {
  const codings = headers.all('accept-encoding').join(',').split(',')
  return codings.some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((part) => part.startsWith('q=') && !(Number(part.slice(2)) > 0))
  })
}
