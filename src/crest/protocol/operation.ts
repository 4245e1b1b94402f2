import type { CrestOperation, Request } from '#http'
import type { Parameters } from './parameters.ts'
import { SELECTORS } from './query-request.ts'

/** Clients choose the name of an action. */
const MAX_ACTION = 64

/** The operation of a request, for its audit; null for one without an operation, such as that of a descriptor. */
export function operationOf(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  parameters: Parameters,
  isCollectionItself: boolean,
): CrestOperation | null {
  switch (method) {
    case 'GET':
    case 'HEAD': {
      if (parameters.has('_api') || parameters.has('_crestapi')) return null
      const isQuery = isCollectionItself || SELECTORS.some((name) => parameters.has(name))
      return { operation: isQuery ? 'QUERY' : 'READ' }
    }
    case 'POST': {
      const action = parameters.get('_action')
      if (action === null || action.toLowerCase() === 'create') return { operation: 'CREATE' }
      return { operation: 'ACTION', action: action.slice(0, MAX_ACTION) }
    }
    case 'PUT':
      return { operation: headers.has('if-none-match') ? 'CREATE' : 'UPDATE' }
    case 'PATCH':
    case 'DELETE':
      return { operation: method }
    default:
      return null
  }
}
