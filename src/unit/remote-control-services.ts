import type { CONTROL_CALLS, TlsPlan } from '#contracts'
import type { Remote } from '#rpc'
import type { Clock, SharedStore } from '#schema'
import type { ControlServices } from './control-services.ts'

/** Services of the control plane, over the channel of a unit. */
export function remoteControlServices(control: Remote<typeof CONTROL_CALLS>, clock: Clock): ControlServices {
  return {
    openRouter: (router) => control.openRouter(router),
    routerOpened: (directory, failures) => control.routerOpened({ directory, failures }),
    closeRouter: (directory) => control.closeRouter({ directory }),
    routeWarnings: (warnings) => control.routeWarnings(warnings),
    objectStatus: (status) => control.objectStatus(status),
    openAudit: async (plan) => {
      // Loaded by the first audit service.
      const { openAuditOutlet } = await import('./audit-outlet.ts')
      return openAuditOutlet(control, plan, clock)
    },
    connectionPermits: {
      open: async (key, permits) => {
        const opened = await control.openPermits({ key, permits })
        return { ...opened, release: () => control.closePermits({ key }) }
      },
    },
    openUpstream: async (plan) => {
      const { id, memory, unit } = await control.upstreamOpen(plan)
      return {
        memory,
        unit,
        checkWith: (tls) => control.upstreamTls({ id, tls: tls as TlsPlan }),
        release: () => control.upstreamClose({ id }),
      }
    },
    sharedStore: (space) => controlStore(control, space),
    share: async (key, bytes) => {
      const memory = await control.share({ key, bytes })
      return { memory, release: () => control.unshare({ key }) }
    },
  }
}

/** The key-value store of the control thread. */
function controlStore(control: Remote<typeof CONTROL_CALLS>, space: string): SharedStore {
  return {
    get: (key, lifetime) => control.storeGet({ space, key, lifetime: lifetime ?? null }),
    update: (key, change, lifetime) => control.storeUpdate({ space, key, change, lifetime, ifPresent: false }),
    updateIfPresent: (key, change, lifetime) => control.storeUpdate({ space, key, change, lifetime, ifPresent: true }),
    getAndDelete: (key) => control.storeGetAndDelete({ space, key }),
    getOrCreate: (key, initial, lifetime) => control.storeGetOrCreate({ space, key, initial, lifetime }),
  }
}
