import type { Handler } from '#http'
import { kind } from '#schema'
import { attributedHandler } from './fault-origin.ts'

export const HandlerKind = kind<Handler>('Handler', [], attributedHandler)
