import { createLogger } from '#logging'

/** Takes what objects would log, which is not what commands that serve nothing are asked for. */
export const SILENT_LOGGER = createLogger({ level: 'silent', format: 'json', destination: { write: () => {} } })
