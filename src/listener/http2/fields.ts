import { validateHeaderName, validateHeaderValue } from 'node:http'

/** Header fields in the format of node:http2: names in lower case, a list for a name that occurs several times. */
export type FieldRecord = Record<string, string | string[]>

/** The header list of a response in HTTP/2; throws for a name or value that can not be sent. */
export function streamHeaders(status: number, raw: readonly string[]): string[] {
  const list = [':status', String(status)]
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    const value = raw[i + 1]!
    validateHeaderName(name)
    validateHeaderValue(name, value)
    list.push(name.toLowerCase(), value)
  }
  return list
}

/** Adds a flat list of fields; throws for a name or value that can not be sent. */
export function addFields(record: FieldRecord, raw: readonly string[]): void {
  for (let i = 0; i < raw.length; i += 2) {
    const value = raw[i + 1]!
    validateHeaderName(raw[i]!)
    validateHeaderValue(raw[i]!, value)
    const name = raw[i]!.toLowerCase()
    const known = record[name]
    record[name] = known === undefined ? value : [known, value].flat()
  }
}
