import { createReadStream, openSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Calibration } from './calibration.ts'
import { median } from './measure.ts'
import { startUpstreamScript } from './peer.ts'
import { startProxiesBefore } from './proxy.ts'
import { freePort, type ServerProcess } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Targets: the ratio of CPU time to the bare proxy, and the growth of resident memory in MB. */
const bulkTargets = { ratio: 1.2, growth: 150 } as const

const BYTES = 2 ** 30
const directions = ['download', 'upload'] as const

/** One row of the result. */
export interface BulkRow {
  readonly name: string
  readonly errors: number
  /** CPU seconds for each GB. */
  readonly cpuSeconds: number
  /** To the bare proxy: the median of the ratios of the rounds. */
  readonly ratio: number
  /** Growth of the peak of resident memory, in MB. */
  readonly growth: number
  readonly slow: number
}

/** Measures 1 GB through each proxy, in each direction. */
export async function bulkBenchmark(
  rounds: number,
  chosen: readonly string[],
  progress: (text: string) => void,
): Promise<BulkRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use((await startUpstreamScript('bulk', upstream, 'bulk.ts')).server)
  if (chosen.includes('openig')) progress('NOTICE: without openig: a body of 1 GB does not pass it')
  const streaming = chosen.filter((name) => name !== 'openig')
  const proxies = await startProxiesBefore(upstream, workspace, servers, streaming, progress)
  using calibration = await Calibration.start()
  const taken = new Map<string, { cpu: number; growth: number; isSlow: boolean }[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const direction of directions) {
      for (const { name, server, url } of proxies) {
        const slowness = await calibration.slowness()
        const [cpu, peak] = [server.cpuSeconds(), peakMegabytes(server)]
        await (direction === 'download' ? download(url) : upload(url))
        const isSlow = calibration.isSlow(Math.max(slowness, await calibration.slowness()))
        const result = { cpu: server.cpuSeconds() - cpu, growth: peakMegabytes(server) - peak, isSlow }
        const label = round === 0 ? 'warm-up' : `round ${round}/${rounds}`
        progress(`${label} ${name} ${direction}: ${result.cpu.toFixed(2)} s CPU${isSlow ? ', on a slow machine' : ''}`)
        const key = `${name} ${direction}`
        const known = taken.get(key) ?? []
        taken.set(key, round === 0 ? [] : [...known, result])
      }
    }
  }
  return [...taken].map(([name, results]) => {
    const base = taken.get(name.replace(/^\w+/, 'bare')) ?? []
    return {
      name,
      errors: 0,
      cpuSeconds: median(results.map(({ cpu }) => cpu)),
      ratio: median(results.map(({ cpu }, at) => cpu / (base[at]?.cpu ?? Number.NaN))),
      growth: Math.max(...results.map(({ growth }) => growth)),
      slow: results.filter(({ isSlow }) => isSlow).length,
    }
  })
}

/** Messages for the missed targets. */
export function missedBulkTargets(rows: readonly BulkRow[]): string[] {
  return rows
    .filter(({ name }) => name.startsWith('gateway'))
    .flatMap(({ name, ratio, growth }) => [
      ...(ratio <= bulkTargets.ratio
        ? []
        : [`${name} costs ${ratio.toFixed(2)} times the bare proxy; at most ${bulkTargets.ratio}`]),
      ...(growth <= bulkTargets.growth
        ? []
        : [`${name} takes ${growth} MB more memory; at most ${bulkTargets.growth}`]),
    ])
}

/** Peak of resident memory (proc(5): VmHWM). */
function peakMegabytes(server: ServerProcess): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'latin1')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

function download(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  request(`${url}/${BYTES}`, { agent: false }, (response) => {
    let received = 0
    response.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    response.on('error', reject)
    response.on('end', () => {
      if (received === BYTES) resolve()
      else reject(new Error(`download: expected ${BYTES} bytes, got ${received}`))
    })
  })
    .on('error', reject)
    .end()
  return promise
}

async function upload(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sent = request(url, { agent: false, method: 'POST', headers: { 'content-length': BYTES } }, (response) => {
    let text = ''
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    response.on('error', reject)
    response.on('end', () => resolve(text))
  })
  sent.on('error', reject)
  const zeros = createReadStream('', { fd: openSync('/dev/zero', 'r'), end: BYTES - 1, highWaterMark: 65_536 })
  await pipeline(zeros, sent)
  const received = await promise
  if (received !== String(BYTES)) throw new Error(`upload: expected ${BYTES} bytes, got ${received}`)
}
