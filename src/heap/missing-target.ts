import type { Problem } from '#schema'
import type { ChainStep } from './chain-walk.ts'

/**
 * Warnings for handlers that a request can reach although no object has set its target server: it is then sent to its
 * Host, which may be this gateway.
 */
export function missingTargets(steps: readonly ChainStep[]): Problem[] {
  const found = new Map<unknown, Problem>()
  for (const { declaration, pointer, before } of steps) {
    const { name, target } = declaration.definition
    if (target !== 'needs' || before.isTargetSet || found.has(declaration)) continue
    // An UpstreamService names the servers.
    if ((declaration.config as Record<string, unknown> | null)?.['upstream'] !== undefined) continue
    found.set(declaration, { pointer, message: messageFor(name) })
  }
  return [...found.values()]
}

function messageFor(type: string): string {
  return `no baseURI names a server for this ${type}: requests go where their Host says, which may be this gateway itself (508); add "baseURI" here or to the route, false where that is meant`
}
