import { type ClassInfo, classes, GroovyObject, textOf, type Value } from '@identity-gateway/groovy'
import type { Exchange } from '#http'
import { publishCustomEvent } from '../custom-event.ts'
import { extendWithHost } from './host-class.ts'
import { toHost } from './host-values.ts'

export const AuditClass = classes.declareInterface('org.forgerock.openig.audit.Audit')

/** The binding `audit` of one evaluation. */
export class AuditValue extends GroovyObject {
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    super()
    this.exchange = exchange
  }

  get klass(): ClassInfo {
    return AuditClass
  }
}

extendWithHost(AuditClass, {
  'send(Object topic, Map fields): void': (self: AuditValue, topic: Value, fields: Value) =>
    publishCustomEvent(self.exchange, textOf(topic), toHost(fields)),
})
