import { createLogger } from '#logging'

/** Discards the log of objects, which is not part of the output of commands. */
export const SILENT_LOGGER = createLogger({ level: 'silent', format: 'json', destination: { write: () => {} } })
