import type { Gateway } from '#control'
import type { Logger } from '#logging'
import { EXIT } from './exit-codes.ts'

/** Serves until SIGTERM or SIGINT, then drains; a second one ends at once. SIGHUP looks at the routes again. */
export function untilStopped(gateway: Gateway, logger: Logger): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      logger.warn({ signal }, 'told to stop a second time: ending now')
      void gateway.terminate().then(() => resolve(EXIT.forced))
      return
    }
    stopping = true
    logger.info({ signal }, 'stopping: no new connections, what runs may end')
    gateway.drain().then(
      (aborted) => {
        logger.info({ aborted }, 'stopped')
        resolve(EXIT.ok)
      },
      (error: unknown) => {
        logger.error({ error }, 'stopping failed')
        resolve(EXIT.failed)
      },
    )
  }
  const reload = (): void => {
    logger.info('looking at the routes again')
    gateway.reload().catch((error: unknown) => logger.error({ error }, 'reloading failed; everything stays as it was'))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', reload)
  return promise
}
