import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import autocannon from 'autocannon'

/** Result of one load run. */
export interface Load {
  readonly requests: number
  /** Responses that were not 2xx, and requests without a response. */
  readonly errors: number
  readonly seconds: number
}

/** The body of each request. */
export interface Post {
  readonly body: string
  /** The wrk script that sends it. */
  readonly script: string
}

/** Connections, duration and requests of a load run. */
export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
  /** GET without it. */
  readonly post?: Post
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Appends a random number below this to each path; `script` is the wrk script for it. */
  readonly numbered?: { readonly below: number; readonly script: string }
}

/** Media type of bodies: some servers reject a body without one. */
export const postType = 'application/octet-stream'

/** A wrk script that sends this body. */
export function wrkScript(body: string): string {
  return `wrk.method = "POST"\nwrk.body = "${body}"\nwrk.headers["Content-Type"] = "${postType}"\n`
}

/** A wrk script that appends a random number to the path. */
export function numberedScript(below: number): string {
  return `request = function() return wrk.format(nil, wrk.path .. math.random(0, ${below - 1})) end\n`
}

/** The path of a system program, if it is installed. */
export function installed(program: string): string | undefined {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']
    .map((folder) => `${folder}/${program}`)
    .find((path) => existsSync(path))
}

const wrk = installed('wrk')

/** The load generator. */
export const loadProgram =
  wrk === undefined ? 'autocannon (wrk is not installed; autocannon uses more CPU itself)' : 'wrk'

/** Sends requests to a URL for a fixed time. */
export async function load(url: string, options: LoadOptions): Promise<Load> {
  return wrk === undefined ? withAutocannon(url, options) : withWrk(wrk, url, options)
}

async function withWrk(program: string, url: string, options: LoadOptions): Promise<Load> {
  const { connections, seconds, post, headers = {}, numbered } = options
  const file = post?.script ?? numbered?.script
  const script = file === undefined ? [] : ['-s', file]
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '5s', ...script, ...fields, url]
  const running = promisify(execFile)(program, args, { timeout: seconds * 1000 + 15_000 })
  const end = (): void => void running.child.kill()
  process.once('exit', end)
  const { stdout } = await running.finally(() => process.off('exit', end))
  const [, requests, time] = /(\d+) requests in ([\d.]+)s/.exec(stdout) ?? []
  if (requests === undefined) throw new Error(`expected a count of requests from wrk, got: ${stdout}`)
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)
  const broken = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout)
  const errors = [failed?.[1], ...(broken?.slice(1) ?? [])].reduce((sum, count) => sum + Number(count ?? 0), 0)
  return { requests: Number(requests), errors, seconds: Number(time) }
}

async function withAutocannon(url: string, options: LoadOptions): Promise<Load> {
  const { connections, seconds, post, headers = {}, numbered } = options
  const { pathname } = new URL(url)
  const numbering = numbered && {
    requests: [
      {
        setupRequest: (request: autocannon.Request) => ({
          ...request,
          path: pathname + Math.floor(Math.random() * numbered.below),
        }),
      },
    ],
  }
  const sending =
    post === undefined
      ? { headers }
      : { method: 'POST' as const, body: post.body, headers: { ...headers, 'content-type': postType } }
  const result = await autocannon({ url, connections, duration: seconds, timeout: 5, ...sending, ...numbering })
  return { requests: result.requests.total, errors: result.non2xx + result.errors, seconds: result.duration }
}
