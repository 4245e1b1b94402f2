import { accessSync, constants } from 'node:fs'
import { makeDirectory } from '#files'
import { instanceDirectories } from '#instance'

/** Problem and remedy where the gateway can not write its files; null where it can. */
export function unwritableDirectory(instance: string, state: string | null): string | null {
  const { temporary } = instanceDirectories(instance, { state })
  try {
    if (state !== null) makeDirectory(state, 0o700)
    makeDirectory(temporary, 0o700)
    accessSync(temporary, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const reason = (error as Error).message
    if (state !== null) return `the state directory ${state} can not be written: ${reason}`
    const remedy = 'name a directory for history, logs, spool and temporary files with --state DIR or GATEWAY_STATE_DIR'
    return `the instance ${instance} can not be written: ${reason}; ${remedy}`
  }
}
