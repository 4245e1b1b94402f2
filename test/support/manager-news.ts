import type { AmService } from '#contracts'
import type { DevelopmentAccessManager } from '#dev'

/** The news of a development access manager, as a gateway hears them. */
export interface ManagerNews {
  /** Cuts the notification service off, and waits until the gateway knows. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** Resolves when the gateway hears the next news whose topic begins like this. */
  heard(topic: string): Promise<void>
}

/** Waits until the service is connected; then its news can be cut off and restored. */
export async function managerNews(manager: DevelopmentAccessManager, service: AmService): Promise<ManagerNews> {
  const notifications = service.notifications!
  const changed = (to: boolean) =>
    new Promise<void>((resolve) => {
      if (notifications.connected === to) return resolve()
      const told = () => {
        stop()
        resolve()
      }
      const stop = notifications.listen(to ? { connected: told } : { disconnected: told })
    })
  await changed(true)
  return {
    async disconnect() {
      manager.refuseUpgrades(503)
      manager.dropSockets()
      await changed(false)
    },
    async reconnect() {
      manager.refuseUpgrades(null)
      await changed(true)
    },
    heard: (wanted) =>
      new Promise<void>((resolve) => {
        const stop = notifications.listen({
          notified({ topic }) {
            if (!topic.startsWith(wanted)) return
            stop()
            resolve()
          },
        })
      }),
  }
}
