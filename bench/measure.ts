import { Agent, fetch } from 'undici'
import { type Load, type LoadOptions, load, type Post, postType } from './load.ts'
import type { ServerProcess } from './server-process.ts'

/** What a right answer is. */
export interface Expected {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** The certificate was made for this run: whose it is does not matter. */
  readonly anyCertificate?: boolean
}

/** Something to measure: a server, what to ask it, and what a right answer is. */
export interface Subject {
  readonly name: string
  readonly server: ServerProcess
  readonly url: string
  /** The answer to an ordinary request. */
  readonly expect?: Expected
  /** Throws where the server does not do what it is measured for, in place of `expect`. */
  readonly check?: () => Promise<void>
  /** What is sent with each request, where it is not a GET. */
  readonly post?: Post
  readonly headers?: Readonly<Record<string, string>>
  /** Where the load is not to be made in the usual way. */
  readonly load?: (url: string, options: LoadOptions) => Promise<Load>
}

/** What all rounds of one subject gave. */
export interface Measured {
  readonly name: string
  readonly requests: number
  readonly errors: number
  /** CPU time of the server for one request, in microseconds: the median of the rounds, and the least and the most. */
  readonly cpuMicros: { readonly median: number; readonly min: number; readonly max: number }
  /** The same for each round, in their order. */
  readonly cpuMicrosByRound: readonly number[]
  readonly requestsPerSecond: number
}

/** Rounds of a benchmark, beside the load of each. */
export interface Rounds extends LoadOptions {
  readonly rounds: number
}

/**
 * Measures all subjects in turns (a b c a b c ...), so that a machine that gets slower or busier does it to all alike.
 * The first turn is not counted: it is there for caches, pools and compilers.
 */
export async function measure(
  subjects: readonly Subject[],
  { rounds, ...options }: Rounds,
  progress: (text: string) => void,
): Promise<Measured[]> {
  const taken = new Map<Subject, { load: Load; cpu: number }[]>(subjects.map((subject) => [subject, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const subject of subjects) {
      await (subject.check?.() ?? checkAnswer(subject, subject.expect))
      const before = subject.server.cpuSeconds()
      const { post, headers } = subject
      const sent = { ...(post !== undefined && { post }), ...(headers !== undefined && { headers }) }
      const done = await (subject.load ?? load)(subject.url, { ...options, ...sent })
      const cpu = subject.server.cpuSeconds() - before
      if (done.requests === 0) throw new Error(`${subject.name} answered nothing in ${options.seconds} s`)
      const label = round === 0 ? 'warm-up' : `round ${round}/${rounds}`
      progress(`${label} ${subject.name}: ${done.requests} requests, ${micros(cpu, done).toFixed(1)} µs CPU each`)
      if (round > 0) taken.get(subject)?.push({ load: done, cpu })
    }
  }
  return [...taken].map(([subject, results]) => summary(subject.name, results))
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** A server that answers quickly but wrongly must not look good. */
async function checkAnswer({ name, url, post, headers }: Subject, expect: Expected | undefined): Promise<void> {
  if (expect === undefined) throw new Error(`${name}: expected to know what a right answer is`)
  const dispatcher = new Agent({ connect: { rejectUnauthorized: expect.anyCertificate !== true } })
  const response = await fetch(url, {
    dispatcher,
    headers: { connection: 'close', ...headers, ...(post !== undefined && { 'content-type': postType }) },
    ...(post !== undefined && { method: 'POST', body: post.body }),
    signal: AbortSignal.timeout(5_000),
  })
  const body = await response.text()
  await dispatcher.close()
  if (response.status !== 200 || body !== expect.body) {
    throw new Error(
      `${name} at ${url}: expected 200 ${JSON.stringify(expect.body)}, got ${response.status} ${JSON.stringify(body.slice(0, 200))}`,
    )
  }
  for (const [header, value] of Object.entries(expect.headers ?? {})) {
    const got = response.headers.get(header)
    if (got !== value) throw new Error(`${name} at ${url}: expected header ${header}: ${value}, got ${got ?? 'none'}`)
  }
}

function micros(cpuSeconds: number, { requests }: Load): number {
  return (cpuSeconds * 1e6) / requests
}

function summary(name: string, results: readonly { load: Load; cpu: number }[]): Measured {
  const costs = results.map(({ load, cpu }) => micros(cpu, load))
  return {
    name,
    requests: results.reduce((sum, { load }) => sum + load.requests, 0),
    errors: results.reduce((sum, { load }) => sum + load.errors, 0),
    cpuMicros: { median: median(costs), min: Math.min(...costs), max: Math.max(...costs) },
    cpuMicrosByRound: costs,
    requestsPerSecond: median(results.map(({ load }) => load.requests / load.seconds)),
  }
}
