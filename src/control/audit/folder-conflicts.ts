import type { FilesPlan } from '#audit'
import type { AuditPlan, HandlerPlan, Problem, TransportPlan } from '#schema'

/**
 * Folders that other services write to: one writer alone can rotate files and chain their lines. Services share a folder, and its
 * writer, where a handler of each writes the same files.
 */
export function folderConflicts({ service, handlers, document }: AuditPlan, opened: Iterable<AuditPlan>): Problem[] {
  const others = [...opened].filter((plan) => plan.service !== service && !isReplaced(plan.document, document))
  return handlers.flatMap((handler) => {
    const { exclusive } = handler.transport
    const writersIn = (plan: AuditPlan): HandlerPlan[] =>
      exclusive === undefined ? [] : plan.handlers.filter(({ transport }) => transport.exclusive === exclusive)
    const owner = others.findLast((plan) => writersIn(plan).length > 0)
    const isShared = others.some(
      (plan, at) =>
        writersIn(plan).some((writer) => writeSameFiles(writer, handler)) &&
        // A version that is replaced keeps the folder only until its requests end.
        !others.slice(at).some((later) => isReplaced(plan.document, later.document)),
    )
    if (owner === undefined || isShared) return []
    const message = `"${handler.name}": the audit service ${owner.service} writes to ${exclusive}; give each service a logDirectory of its own, or their handlers the same name, type and security, and no spool`
    return [{ pointer: `/eventHandlers/${handler.position}/config/logDirectory`, message }]
  })
}

/** Whether one writer can serve both. Rotation, retention and queue may differ. */
function writeSameFiles(one: HandlerPlan, other: HandlerPlan): boolean {
  const isSpooled = one.queue.spool !== null || other.queue.spool !== null
  return !isSpooled && one.name === other.name && filesOf(one.transport) === filesOf(other.transport)
}

function filesOf(transport: TransportPlan): string {
  const { type, extension, lineEnd, headers, chain } = transport as TransportPlan & Partial<FilesPlan>
  return JSON.stringify([type, extension, lineEnd, headers, chain])
}

/** Whether another revision of the same document is there only until its requests end. */
function isReplaced(opened: AuditPlan['document'], opening: AuditPlan['document']): boolean {
  return opened !== undefined && opened.name === opening?.name && opened.revision !== opening.revision
}
