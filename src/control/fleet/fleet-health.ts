import type { HealthCheck } from '#contracts'
import type { EtcdErrorKind } from '#etcd'
import type { CopiedRelease } from './copied-release.ts'
import type { ReleaseFailure } from './release-failure.ts'
import type { ReleaseVersions } from './release-versions.ts'
import type { Connection } from './store-follower.ts'

/** What health says of a fleet; without addresses, since it is public. */
interface FleetHealth {
  readonly connection: Connection
  readonly versions: ReleaseVersions
  readonly failure: ReleaseFailure | null
  readonly copy: { readonly release: CopiedRelease | null; readonly age: number }
  readonly recordRefusal: EtcdErrorKind | null
  /** Whether units have started. */
  readonly isStarted: boolean
}

/** By the kind of failure; the reason in the log has addresses. */
const REASONS: Readonly<Record<string, string>> = {
  unavailable: 'not reachable, or without a leader',
  authentication: 'user or password refused',
  denied: 'no permission for its keys',
  'no-space': 'it is full',
  content: 'its content is not that of releases this version reads',
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The entry `store` of `/health/ready?verbose`. The store is never a reason to be unready once something is served. */
export function fleetCheck(health: FleetHealth, now = Date.now()): HealthCheck {
  const { connection, versions, failure, copy, recordRefusal, isStarted } = health
  const serves = servedText(copy, versions)
  const check = (text: string, reason = ''): HealthCheck => ({
    name: 'store',
    ok: isStarted,
    state: isStarted ? 'degraded' : 'starting',
    detail: (isStarted ? `${text}; ${serves}` : text) + reason,
  })
  if (connection.state === 'disconnected') {
    const reason = REASONS[connection.kind] ?? 'see the log'
    return check(`the configuration store can not be read for ${duration(now - connection.since)} (${reason})`)
  }
  if (connection.state === 'connecting') return check('connecting to the configuration store')
  const failing = `release ${versions.wanted ?? copy.release?.release ?? '?'} can not be served completely`
  const reason = failure === null ? '' : `; reason: ${failure.reason}`
  if (!isStarted) return check(failure === null ? 'reading the release of the configuration store' : failing, reason)
  if (versions.divergence !== null)
    return check('the configuration store contradicts the local copy: decide by gateway push or gateway release adopt')
  if (versions.hasRival) return check('another gateway has the instanceId of this one: give each its own in admin.json')
  if (versions.state === 'failing') return check(failing, reason)
  if (recordRefusal !== null)
    return check(`the configuration store can not be written (${REASONS[recordRefusal] ?? 'see the log'})`)
  return { name: 'store', ok: true, state: 'up', detail: serves }
}

function servedText({ release, age }: FleetHealth['copy'], { served }: ReleaseVersions): string {
  if (served === null)
    return release === null
      ? 'the files of the instance are served'
      : `release ${release.release} is served as far as it can be`
  return `release ${served} is served${release?.release === served ? `, taken ${duration(age)} ago` : ''}`
}

function duration(milliseconds: number): string {
  const time = Math.max(0, milliseconds)
  if (time >= 2 * DAY) return `${Math.floor(time / DAY)} days`
  if (time >= 2 * HOUR) return `${Math.floor(time / HOUR)} hours`
  return time >= 2 * MINUTE ? `${Math.floor(time / MINUTE)} minutes` : `${Math.floor(time / 1000)} s`
}
