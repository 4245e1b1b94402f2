import type { Handler } from '#http'
import { kind } from '#schema'
import { attributedHandler } from './fault-origin.ts'

/** Objects that answer a request. */
export const HandlerKind = kind<Handler>('Handler', [], attributedHandler)
