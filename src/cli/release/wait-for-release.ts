import { setTimeout as delay } from 'node:timers/promises'
import { ManagementUnavailable } from '../management/management-client.ts'
import type { ProcessContext } from '../process-context.ts'
import { counted, printable } from '../terminal.ts'
import { problemText } from './release-access.ts'
import type { Instance, ReleaseClient } from './release-client.ts'

const INTERVAL = 250

/**
 * Waits until every living instance that should serve a release does; true if so. With labels, those that have all of them; an
 * instance that wants a later release is past this one.
 */
export async function waitForRelease(
  releases: ReleaseClient,
  number: number,
  only: Readonly<Record<string, string>> | null,
  time: number,
  { stderr }: ProcessContext,
): Promise<boolean> {
  const end = performance.now() + time
  let shown = ''
  for (;;) {
    const concerned = await instancesOf(releases, only)
    const waiting = concerned?.filter((instance) => !servesRelease(instance, number)) ?? []
    if (concerned !== null && concerned.length > 0 && waiting.length === 0) {
      stderr.write(`release ${number} is served by ${counted(concerned.length, 'instance')}\n`)
      return true
    }
    const text = progressText(number, concerned?.length ?? null, waiting.length)
    if (stderr.isTTY === true && text !== shown) stderr.write(`${text}\n`)
    shown = text
    if (performance.now() >= end) {
      stderr.write(`gateway: ${text} after ${time / 1000} s\n`)
      for (const line of waiting.flatMap(linesOf)) stderr.write(`${printable(line)}\n`)
      return false
    }
    await delay(Math.min(INTERVAL, Math.max(0, end - performance.now())))
  }
}

/** How many of the concerned instances serve the release; their number is null while it is not known. */
function progressText(release: number, concerned: number | null, waiting: number): string {
  if (concerned === null) return 'the store does not say which instances there are'
  if (concerned === 0) return 'no living instance is concerned'
  return `release ${release} is served by ${concerned - waiting} of ${counted(concerned, 'instance')}`
}

/** An instance that is past the release, as it wants a later one, does not hold it up. */
function servesRelease({ wanted, served, state }: Instance, number: number): boolean {
  if (wanted !== null && wanted > number) return true
  return served !== null && served >= number && state === 'current'
}

/** Null while the gateway or its store does not answer: it may do so again in time. */
async function instancesOf(
  releases: ReleaseClient,
  only: Readonly<Record<string, string>> | null,
): Promise<readonly Instance[] | null> {
  try {
    const all = await releases.instances()
    const labels = Object.entries(only ?? {})
    return all.filter((instance) => labels.every(([name, value]) => instance.labels[name] === value))
  } catch (error) {
    if (error instanceof ManagementUnavailable) return null
    throw error
  }
}

/** Its state, and a line for each reason. */
function linesOf({ _id, state, served, wanted, problems }: Instance): string[] {
  const reasons = problems.map((problem) => `  ${problemText(problem)}`)
  return [`${_id}: ${state}: serves ${served ?? 'no release'}, wants ${wanted ?? 'none'}`, ...reasons]
}
