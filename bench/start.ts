import { setTimeout as pause } from 'node:timers/promises'
import { installPackage } from '../scripts/installed-package.ts'
import { Calibration, repetitions } from './calibration.ts'
import { startGateway } from './gateway-server.ts'
import { median } from './measure.ts'
import { Workspace } from './workspace.ts'

/** Targets of an installed package: CPU seconds to ready with one unit, and megabytes without load, by number of units. */
const CPU_TARGET = 0.6
const MEMORY_TARGETS: Readonly<Record<number, number>> = { 1: 130, 2: 180 }

const UNITS = [1, 2]
/** Time without requests before memory is read. */
const IDLE = 3_000
const MEGABYTE = 1_024 * 1_024

interface Start {
  /** CPU seconds of the process from its start to the first 200 of `/health/ready`. */
  readonly cpuSeconds: number
  readonly readySeconds: number
  /** Resident memory. */
  readonly idleMegabytes: number
}

/** One row of the result: medians of the rounds. */
export interface StartRow extends Start {
  readonly name: 'checkout' | 'package' | 'package, first start'
  readonly units: number
}

/** Measures the start and the idle memory of the gateway, from this checkout and from its installed package. */
export async function startBenchmark(rounds: number, progress: (text: string) => void): Promise<StartRow[]> {
  using workspace = new Workspace()
  progress('packing and installing the package')
  const { command } = await installPackage(workspace.path)
  using calibration = await Calibration.start()
  const measured = async (name: StartRow['name'], units: number, times: number, program?: string) => {
    const starts: Start[] = []
    for (let round = 1; round <= times; round++) {
      const { result: start, ...repeated } = await calibration.repeatWhileSlow(() =>
        measureStart(workspace, units, program),
      )
      starts.push(start)
      const figures = `${start.cpuSeconds.toFixed(2)} s of CPU time, ${start.idleMegabytes.toFixed(0)} MB`
      progress(`round ${round}/${times} ${name}, units: ${units}: ${figures}${repetitions(repeated)}`)
    }
    const middle = (value: (start: Start) => number) => median(starts.map(value))
    return {
      name,
      units,
      cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds),
      readySeconds: middle(({ readySeconds }) => readySeconds),
      idleMegabytes: middle(({ idleMegabytes }) => idleMegabytes),
    }
  }
  const rows: StartRow[] = [await measured('package, first start', 1, 1, command)]
  for (const units of UNITS) {
    // The first start of a checkout fills its cache of compiled code.
    if (units === 1) await measureStart(workspace, units)
    rows.push(await measured('checkout', units, rounds))
    rows.push(await measured('package', units, rounds, command))
  }
  return rows
}

async function measureStart(workspace: Workspace, units: number, program?: string): Promise<Start> {
  const proxy = {
    condition: "${find(request.uri.path, '^/bench')}",
    baseURI: 'http://127.0.0.1:9',
    handler: 'ReverseProxyHandler',
  }
  const { server } = await startGateway(workspace, `start-${units}`, new Map([['proxy', proxy]]), {
    units,
    ...(program === undefined ? {} : { program }),
  })
  await using _ = server
  const cpuSeconds = server.cpuSeconds()
  await pause(IDLE)
  return { cpuSeconds, readySeconds: server.readyAfter / 1_000, idleMegabytes: server.residentBytes() / MEGABYTE }
}

/** Messages for missed targets of the package. */
export function missedStartTargets(rows: readonly StartRow[]): string[] {
  return rows
    .filter(({ name }) => name === 'package')
    .flatMap(({ units, cpuSeconds, idleMegabytes }) => {
      const memory = MEMORY_TARGETS[units] ?? Number.POSITIVE_INFINITY
      return [
        ...(units === 1 && cpuSeconds > CPU_TARGET
          ? [`a start takes ${cpuSeconds.toFixed(2)} s of CPU time; at most ${CPU_TARGET}`]
          : []),
        ...(idleMegabytes > memory
          ? [`a gateway without load has ${idleMegabytes.toFixed(0)} MB (units: ${units}); at most ${memory}`]
          : []),
      ]
    })
}
