import type { AmService } from '#contracts'
import type { DevelopmentAccessManager } from '#dev'
import { within } from './waiting.ts'

/** The notification connection between a gateway and a development access manager. */
export interface ManagerNotifications {
  /** Closes the connection and rejects new ones; resolves when the gateway has noticed. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** Resolves when the gateway receives the next notification whose topic has this prefix. */
  received(topic: string): Promise<void>
}

/** Waits until the service is connected. */
export async function managerNotifications(
  manager: DevelopmentAccessManager,
  service: AmService,
): Promise<ManagerNotifications> {
  const notifications = service.notifications!
  const changed = (to: boolean) => {
    const change = new Promise<void>((resolve) => {
      if (notifications.connected === to) return resolve()
      const settle = () => {
        stop()
        resolve()
      }
      const stop = notifications.listen(to ? { connected: settle } : { disconnected: settle })
    })
    return within(`the notifications were ${to ? 'connected' : 'disconnected'}`, change)
  }
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
    received(wanted) {
      const notified = new Promise<void>((resolve) => {
        const stop = notifications.listen({
          notified({ topic }) {
            if (!topic.startsWith(wanted)) return
            stop()
            resolve()
          },
        })
      })
      return within(`a notification of ${wanted}`, notified)
    },
  }
}
