import { Agent, fetch } from 'undici'
import { Calibration, repetitions } from './calibration.ts'
import { type Load, type LoadOptions, load, type Post, postType } from './load.ts'
import type { ServerProcess } from './server-process.ts'

/** The expected response. */
export interface Expected {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** The certificate was created for this run, and is not verified. */
  readonly anyCertificate?: boolean
}

/** A measured server, with its requests and the expected response. */
export interface Subject {
  readonly name: string
  readonly server: ServerProcess
  readonly url: string
  /** The expected response to a plain request. */
  readonly expect?: Expected
  /** Throws if the server does not work as expected; replaces `expect`. */
  readonly check?: () => Promise<void>
  /** The body of each request; GET without it. */
  readonly post?: Post
  readonly headers?: Readonly<Record<string, string>>
  /** Load generator of this subject, if not the usual one. */
  readonly load?: (url: string, options: LoadOptions) => Promise<Load>
}

/** Result of all rounds of one subject. */
export interface Measured {
  readonly name: string
  readonly requests: number
  readonly errors: number
  /** CPU time of the server for one request, in microseconds: median, minimum and maximum of the rounds. */
  readonly cpuMicros: { readonly median: number; readonly min: number; readonly max: number }
  /** The same for each round, in order. */
  readonly cpuMicrosByRound: readonly number[]
  /** Whether the machine was slow in each round; without it, that was not measured. */
  readonly isSlowByRound?: readonly boolean[]
  readonly requestsPerSecond: number
  /** Rounds that were measured again because the machine was slow, and rounds that were slow and are counted. */
  readonly repeated: number
  readonly slow: number
}

/** Rounds of a benchmark, and their load. */
export interface Rounds extends LoadOptions {
  readonly rounds: number
}

/** Turns that are not counted. */
const WARM_UPS = 2

/** One round of a subject. */
interface Round {
  readonly load: Load
  readonly cpu: number
  readonly repeated: number
  readonly isSlow: boolean
}

/**
 * Measures all subjects in turns (a b c a b c ...), so that changes of the machine affect all of them equally. The first
 * turns warm up caches, pools and compilers, and are not counted. A round in which the machine was slow is repeated.
 */
export async function measure(
  subjects: readonly Subject[],
  { rounds, ...options }: Rounds,
  progress: (text: string) => void,
): Promise<Measured[]> {
  using calibration = await Calibration.start()
  const taken = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]))
  for (let turn = 1 - WARM_UPS; turn <= rounds; turn++) {
    for (const subject of subjects) {
      const round = turn < 1 ? await oneRound(subject, options) : await calmRound(subject, options, calibration)
      const label = turn < 1 ? 'warm-up' : `round ${turn}/${rounds}`
      const cost = `${round.load.requests} requests, ${micros(round).toFixed(1)} µs CPU each`
      progress(`${label} ${subject.name}: ${cost}${repetitions(round)}`)
      if (turn > 0) taken.get(subject)?.push(round)
    }
  }
  return [...taken].map(([subject, results]) => summary(subject.name, results))
}

async function calmRound(subject: Subject, options: LoadOptions, calibration: Calibration): Promise<Round> {
  const { result, ...repeated } = await calibration.repeatWhileSlow(() => oneRound(subject, options))
  return { ...result, ...repeated }
}

async function oneRound(subject: Subject, options: LoadOptions): Promise<Round> {
  await (subject.check?.() ?? checkResponse(subject, subject.expect))
  const before = subject.server.cpuSeconds()
  const { post, headers } = subject
  const sent = { ...(post !== undefined && { post }), ...(headers !== undefined && { headers }) }
  const done = await (subject.load ?? load)(subject.url, { ...options, ...sent })
  const cpu = subject.server.cpuSeconds() - before
  if (done.requests === 0) throw new Error(`${subject.name} sent no response in ${options.seconds} s`)
  return { load: done, cpu, repeated: 0, isSlow: false }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The standard error of a median, for values that are distributed normally. */
export function medianError(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return Math.sqrt(((Math.PI / 2) * variance) / values.length)
}

/** Checks one response: a server with wrong responses must not be measured. */
async function checkResponse({ name, url, post, headers }: Subject, expect: Expected | undefined): Promise<void> {
  if (expect === undefined) throw new Error(`${name}: expected the field expect or check`)
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

/** With fewer rounds on a fast machine than this, all rounds are compared. */
const LEAST_CLEAN = 3

/** The cost relative to that of a base. */
export function ratioTo(base: Measured | undefined, row: Measured): number {
  return medianOfRounds(base, row, (cost, baseCost) => cost / baseCost)
}

/** The cost beyond that of a base, in microseconds. */
export function addedTo(base: Measured | undefined, row: Measured): number {
  return medianOfRounds(base, row, (cost, baseCost) => cost - baseCost)
}

/**
 * The median of the comparisons of each round, in which both were measured shortly after each other. Rounds in which the machine was
 * slow for one of them are left out.
 */
function medianOfRounds(
  base: Measured | undefined,
  row: Measured,
  compare: (cost: number, baseCost: number) => number,
): number {
  const costs = base?.cpuMicrosByRound ?? []
  const compared = row.cpuMicrosByRound.map((cost, round) => compare(cost, costs[round] ?? Number.NaN))
  const clean = compared.filter((_, round) => !row.isSlowByRound?.[round] && !base?.isSlowByRound?.[round])
  return median(clean.length < LEAST_CLEAN ? compared : clean)
}

function micros({ cpu, load }: Round): number {
  return (cpu * 1e6) / load.requests
}

function summary(name: string, results: readonly Round[]): Measured {
  const costs = results.map(micros)
  return {
    name,
    requests: results.reduce((sum, { load }) => sum + load.requests, 0),
    errors: results.reduce((sum, { load }) => sum + load.errors, 0),
    cpuMicros: { median: median(costs), min: Math.min(...costs), max: Math.max(...costs) },
    cpuMicrosByRound: costs,
    isSlowByRound: results.map(({ isSlow }) => isSlow),
    requestsPerSecond: median(results.map(({ load }) => load.requests / load.seconds)),
    repeated: results.reduce((sum, { repeated }) => sum + repeated, 0),
    slow: results.filter(({ isSlow }) => isSlow).length,
  }
}
