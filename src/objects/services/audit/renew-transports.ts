import type { AuditEventHandler } from '#contracts'
import type { Environment } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Milliseconds. Secret stores answer from memory until the lease of a secret ends, and notice a change then. */
const INTERVAL = 10_000

/**
 * Reads secrets, keys and trust of transports again when they change, and passes the handlers on where a transport differs. A
 * transport that can not be read stays as it is: secret stores log why.
 */
export function renewTransports(
  handlers: readonly AuditEventHandler[],
  renewed: (handlers: readonly AuditEventHandler[]) => void,
  { serving, logger, onDispose }: Pick<Environment, 'serving' | 'logger' | 'onDispose'>,
): void {
  const renewals = handlers.flatMap(({ renewal }) => renewal ?? [])
  if (!serving || renewals.length === 0) return
  let current = handlers
  let isReading = false
  let isChanged = false
  let isDisposed = false
  const renew = async (): Promise<void> => {
    isChanged = true
    if (isReading) return
    isReading = true
    try {
      // A change while the transports are read needs another look.
      while (isChanged) {
        isChanged = false
        const found = await Promise.all(current.map(withTransport))
        if (isDisposed) return
        if (found.some((handler, at) => handler !== current[at])) renewed(found)
        current = found
      }
    } catch (error) {
      // Tried again at the next interval, since `current` is not replaced.
      logger.error({ error }, EVENTS.TASK_FAILED)
    } finally {
      isReading = false
    }
  }
  const timer = setInterval(() => void renew(), INTERVAL).unref()
  const stops = renewals.map(({ onChange }) => onChange(() => void renew()))
  onDispose(() => {
    isDisposed = true
    clearInterval(timer)
    for (const stop of stops) stop()
  })
}

/** The handler with its transport as it is now; the same object where nothing has changed. */
async function withTransport(handler: AuditEventHandler): Promise<AuditEventHandler> {
  const transport = await handler.renewal?.read().catch(() => undefined)
  if (transport === undefined || JSON.stringify(transport) === JSON.stringify(handler.transport)) return handler
  return { ...handler, transport }
}
