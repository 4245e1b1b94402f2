import { config, list, string } from '#schema'

const RANGE = /^([1-9]\d\d)(?:-([1-9]\d\d))?$/

/** A list of statuses and ranges of them, such as "200-299". */
export function statusesField(description: string, standard: readonly string[]) {
  return list(config(string({ nonEmpty: true })))
    .default([...standard])
    .meta({ description })
}

/** Reports ranges that are none. */
export function checkStatuses(
  ranges: readonly string[],
  path: string,
  report: (path: string, message: string) => void,
): void {
  for (const [position, range] of ranges.entries()) {
    const [, from, to = from] = RANGE.exec(range) ?? []
    if (from !== undefined && Number(from) <= Number(to)) continue
    report(`${path}/${position}`, `expected a status or a range such as "200-299", got ${JSON.stringify(range)}`)
  }
}

/** Checked ranges, first and last included. */
export function statusRanges(ranges: readonly string[]): (readonly [from: number, to: number])[] {
  return ranges.map((range) => {
    const [, from, to = from] = RANGE.exec(range) ?? []
    return [Number(from), Number(to)]
  })
}
