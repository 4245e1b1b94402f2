import type { HealthCheck } from '#contracts'
import type { Supervisor } from '../units/supervisor.ts'
import type { Health } from './health.ts'

/** Parts of a gateway that its health depends on. */
interface HealthParts {
  state(): 'starting' | 'running' | 'draining'
  readonly supervisor: Pick<Supervisor, 'units' | 'stuck' | 'recentEnds'>
  /** Checks of objects and of the store. */
  objects(): readonly HealthCheck[]
}

/** The checks of the health endpoints. */
export function gatewayHealth({ state, supervisor, objects }: HealthParts): Health {
  const started = (): HealthCheck => ({ name: 'started', ok: state() !== 'starting' })
  const accepting = (): HealthCheck => {
    const isDraining = state() === 'draining'
    return { name: 'accepting', ok: !isDraining, ...(isDraining && { detail: 'shutting down' }) }
  }
  return {
    live: () => [
      { name: 'control-plane', ok: true },
      ...supervisor.stuck.map(({ name }) => ({ name, ok: false, detail: 'its thread can not be ended' })),
    ],
    startup: () => [started()],
    ready: () => [
      started(),
      accepting(),
      ...supervisor.units.map(({ name, state: unit, detail }) => ({ name, ok: unit === 'ready', detail })),
      ...supervisor.stuck
        .filter(({ stillAccepts }) => stillAccepts)
        .map(({ name }) => ({ name, ok: false, detail: 'its thread can not be ended and still accepts connections' })),
      ...(supervisor.recentEnds.check === null ? [] : [supervisor.recentEnds.check]),
      ...objects(),
    ],
  }
}
