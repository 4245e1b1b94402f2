import { type AuditService, AuditServiceKind } from '#contracts'
import type { Heap } from '#heap'
import { type Exchange, type Handler, type Response, UnauditedRequest } from '#http'

/**
 * The audit service of a document: the one that it names, or the one that its own heap has under the name AuditService. Null where
 * it inherits that of the document around it.
 */
export async function auditServiceOf(named: AuditService | undefined, heap: Heap): Promise<AuditService | null> {
  if (named !== undefined) return named
  return heap.declarationOf('AuditService')?.heap === heap ? heap.find('AuditService', AuditServiceKind) : null
}

/** Records the requests of a route, in place of the service around it. */
export function withAudit(
  service: AuditService | null,
  handler: Handler,
  { id, name }: { readonly id: string; readonly name: string },
): Handler {
  const mayWait = service?.mayBeFull === true
  return (exchange) => {
    if (service !== null) replaceAuditor(exchange, service)
    if (exchange.audit !== null) {
      exchange.audit.routeId = id
      exchange.audit.routeName = name
    }
    return mayWait && service.isFull ? afterRoom(service, handler, exchange) : handler(exchange)
  }
}

/** Makes a service that of all requests, unless a route has one of its own. */
export function withRootAudit(service: AuditService | null, handler: Handler): Handler {
  if (service === null) return handler
  const mayWait = service.mayBeFull
  return (exchange) => {
    exchange.auditPublisher = service
    return mayWait && service.isFull ? afterRoom(service, handler, exchange) : handler(exchange)
  }
}

function replaceAuditor(exchange: Exchange, service: AuditService): void {
  const { access } = service
  exchange.auditPublisher = service
  if (access !== null) {
    access.begin(exchange)
    return
  }
  if (exchange.audit === null) return
  const unaudited = new UnauditedRequest(exchange)
  unaudited.takeOver(exchange.audit)
  exchange.audit = unaudited
}

async function afterRoom(service: AuditService, handler: Handler, exchange: Exchange): Promise<Response> {
  await service.waitForRoom()
  return handler(exchange)
}
