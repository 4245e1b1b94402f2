import { type ConfigActor, type ConfigChange, type ConfigOperation, changedFields } from '#audit'
import { AdminCallerContext } from '#contracts'
import type { Exchange, Handler, Request, Response } from '#http'
import { isPlainObject } from '#json'
import { type ChangeRecorder, ChangeRecorderContext, type RecordedChange } from './change-recorder.ts'
import type { ConfigAudit } from './config-audit.ts'

/** A request for a change. */
interface Attempt {
  /** Null where it depends on whether the resource exists. */
  readonly operation: ConfigOperation | null
  readonly detail?: Readonly<Record<string, string>>
}

interface Noted extends RecordedChange {
  readonly moment: ReturnType<ConfigAudit['moment']>
}

/** Actions that change the configuration. */
const CHANGING: ReadonlySet<string> = new Set(['rollback', 'deploy', 'promote', 'drop', 'adopt'])

/**
 * Records changes and refused changes before the response is sent. The provider reports
 * its change with `recordChange`.
 */
export function auditedHandler(handler: Handler, base: string, audit: ConfigAudit): Handler {
  return async (exchange) => {
    const attempt = attemptOf(exchange.request)
    if (attempt === null) return handler(exchange)
    let noted: Noted | null = null
    const note: ChangeRecorder = {
      changed: (change) => {
        noted = { ...change, moment: audit.moment() }
      },
    }
    const response = await handler(exchange.with(ChangeRecorderContext, note))
    if (noted !== null || response.status >= 400) {
      const change = changeOf(exchange, { attempt, base, noted, response })
      await audit.record(change, (noted as Noted | null)?.moment)
    }
    return response
  }
}

function attemptOf(request: Request): Attempt | null {
  switch (request.method) {
    case 'PUT':
      return { operation: request.headers.has('if-none-match') ? 'CREATE' : null }
    case 'PATCH':
    case 'DELETE':
      return { operation: request.method }
    case 'POST': {
      const action = actionOf(request)
      if (action === null || action.toLowerCase() === 'create') return { operation: 'CREATE' }
      return CHANGING.has(action) ? { operation: 'ACTION', detail: { action } } : null
    }
    default:
      return null
  }
}

function actionOf({ uri }: Request): string | null {
  for (const [name, value] of new URLSearchParams(uri.rawQuery ?? '')) {
    if (name.toLowerCase() === '_action') return value
  }
  return null
}

function changeOf(
  exchange: Exchange,
  { attempt, base, noted, response }: { attempt: Attempt; base: string; noted: Noted | null; response: Response },
): ConfigChange {
  const { before = null, after = null } = noted ?? {}
  const id = noted?.id ?? idIn(exchange.request, base)
  // Without "/api/", which is not part of the id; as in events of changed files, names are not encoded.
  const path = decoded(base.replace(/^\/api\//, ''))
  return {
    actor: actorOf(exchange),
    transactionId: exchange.transactionId.value,
    objectId: id === null ? path : `${path}/${id}`,
    operation: attempt.operation ?? (noted !== null && before === null ? 'CREATE' : 'UPDATE'),
    protocol: 'CREST',
    ...(attempt.detail !== undefined && { detail: attempt.detail }),
    previousRevision: before?.revision ?? null,
    revision: after?.revision ?? null,
    changedFields: changedFields(before?.content ?? {}, after?.content ?? {}),
    outcome: {
      // The change is in effect, also where a later step failed.
      isDone: noted !== null,
      statusCode: response.status,
      pointers: noted === null ? pointersIn(response) : [],
    },
  }
}

function idIn({ uri }: Request, base: string): string | null {
  const segment = uri.rawPath.slice(base.length + 1)
  return segment === '' ? null : decoded(segment)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function actorOf(exchange: Exchange): ConfigActor {
  const { remoteAddress: ip, remotePort: port } = exchange.client
  const caller = exchange.context(AdminCallerContext)
  return { userId: caller?.userId ?? null, authentication: caller?.authentication ?? 'none', client: { ip, port } }
}

/** Pointers of the problems of a refused change. Messages are not recorded: they may quote values. */
function pointersIn({ body }: Response): readonly string[] {
  const answer: unknown = body.isBuffered && !body.isEmpty ? JSON.parse(body.text()) : null
  const detail = isPlainObject(answer) ? answer['detail'] : null
  const problems = isPlainObject(detail) ? detail['problems'] : null
  return (Array.isArray(problems) ? problems : []).flatMap((problem: unknown) => {
    const pointer = isPlainObject(problem) ? problem['pointer'] : null
    return typeof pointer === 'string' ? [pointer] : []
  })
}
