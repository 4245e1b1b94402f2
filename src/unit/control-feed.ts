import type { CONTROL_CALLS } from '#contracts'
import type { Remote } from '#rpc'
import type { RouteFeed } from './route-feed.ts'

/** What a unit needs of the control plane, over the channel between them. */
export function controlFeed(control: Remote<typeof CONTROL_CALLS>): RouteFeed {
  return {
    open: (router) => control.openRouter(router),
    opened: (directory, failures) => control.routerOpened({ directory, failures }),
    close: (directory) => control.closeRouter({ directory }),
    warned: (warnings) => control.routeWarnings(warnings),
    reported: (status) => control.objectStatus(status),
    record: (space, key, step) => control.record({ space, key, step }),
    share: async (key, bytes) => {
      const memory = await control.share({ key, bytes })
      return { memory, release: () => control.unshare({ key }) }
    },
  }
}
