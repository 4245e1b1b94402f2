import assert from 'node:assert/strict'

/** A parsed line of a scrape. */
export interface ScrapeLine {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A scrape as Prometheus reads it. */
export class Scrape {
  readonly lines: readonly ScrapeLine[]
  /** By the name of the metric. */
  readonly types: ReadonlyMap<string, string>

  constructor(text: string) {
    assert.ok(text.endsWith('\n'))
    const lines = text.slice(0, -1).split('\n')
    this.types = new Map(
      lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ').slice(2, 4) as [string, string]),
    )
    this.lines = lines.filter((line) => !line.startsWith('#')).map(parseLine)
  }

  /** The series of a name with at least the given labels. */
  find(name: string, labels: Readonly<Record<string, string>> = {}): ScrapeLine[] {
    const holds = (line: ScrapeLine) => Object.entries(labels).every(([label, value]) => line.labels[label] === value)
    return this.lines.filter((line) => line.name === name && holds(line))
  }

  /** The value of the one series with these labels. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const found = this.find(name, labels)
    assert.equal(found.length, 1, `series of ${name} with ${JSON.stringify(labels)}`)
    return (found[0] as ScrapeLine).value
  }
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*",?)*)\})? (\S+)$/

function parseLine(line: string): ScrapeLine {
  const [, name, pairs = '', value] = LINE.exec(line) ?? assert.fail(`not a line of a scrape: ${line}`)
  const labels: Record<string, string> = {}
  for (const [, label, text] of pairs.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    labels[label as string] = (text as string).replace(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    )
  }
  return { name: name as string, labels, value: Number((value as string).replace('Inf', 'Infinity')) }
}
