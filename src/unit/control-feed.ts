import type { CONTROL_CALLS } from '#contracts'
import type { Remote } from '#rpc'
import type { SharedStore } from '#schema'
import type { RouteFeed } from './route-feed.ts'

/** Services of the control plane, over the channel of a unit. */
export function controlFeed(control: Remote<typeof CONTROL_CALLS>): RouteFeed {
  return {
    open: (router) => control.openRouter(router),
    opened: (directory, failures) => control.routerOpened({ directory, failures }),
    close: (directory) => control.closeRouter({ directory }),
    warned: (warnings) => control.routeWarnings(warnings),
    reported: (status) => control.objectStatus(status),
    sharedStore: (space) => controlStore(control, space),
    share: async (key, bytes) => {
      const memory = await control.share({ key, bytes })
      return { memory, release: () => control.unshare({ key }) }
    },
  }
}

/** The store of the control thread. */
function controlStore(control: Remote<typeof CONTROL_CALLS>, space: string): SharedStore {
  return {
    get: (key, lifetime) => control.storeGet({ space, key, lifetime: lifetime ?? null }),
    update: (key, change, lifetime) => control.storeUpdate({ space, key, change, lifetime, ifPresent: false }),
    updateIfPresent: (key, change, lifetime) => control.storeUpdate({ space, key, change, lifetime, ifPresent: true }),
    getAndDelete: (key) => control.storeGetAndDelete({ space, key }),
    getOrCreate: (key, initial, lifetime) => control.storeGetOrCreate({ space, key, initial, lifetime }),
  }
}
