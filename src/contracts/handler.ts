import type { Handler } from '#http'
import { kind } from '#schema'

/** Objects that answer a request. */
export const HandlerKind = kind<Handler>('Handler')
