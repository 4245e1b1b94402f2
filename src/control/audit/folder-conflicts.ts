import type { AuditPlan, Problem } from '#schema'

/** Folders that other services write to: one writer alone can rotate files and chain their lines. */
export function folderConflicts({ service, handlers, document }: AuditPlan, opened: Iterable<AuditPlan>): Problem[] {
  const owners = new Map<string | undefined, string>()
  for (const plan of opened) {
    if (isReplaced(plan.document, document)) continue
    for (const { transport } of plan.handlers) owners.set(transport.exclusive, plan.service)
  }
  return handlers.flatMap(({ name, position, transport: { exclusive } }) => {
    const owner = exclusive === undefined ? undefined : owners.get(exclusive)
    if (owner === undefined || owner === service) return []
    const message = `"${name}": the audit service ${owner} writes to ${exclusive}; give each service a logDirectory of its own`
    return [{ pointer: `/eventHandlers/${position}/config/logDirectory`, message }]
  })
}

/** Whether another revision of the same document is there only until its requests end. */
function isReplaced(opened: AuditPlan['document'], opening: AuditPlan['document']): boolean {
  return opened !== undefined && opened.name === opening?.name && opened.revision !== opening.revision
}
