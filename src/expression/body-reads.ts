import { literalKey, type Node, type Segment, visit } from './ast.ts'

/** The bodies that an expression may read, so that they are buffered before it runs. */
export interface BodyReads {
  readonly requestBody: boolean
  readonly responseBody: boolean
}

type Message = 'request' | 'response'

const bodyKeys: Readonly<Record<Message, ReadonlySet<string>>> = {
  request: new Set(['entity', 'form', 'getEntity', 'getForm']),
  response: new Set(['entity', 'getEntity']),
}
const both: readonly Message[] = ['request', 'response']
const none: readonly Message[] = []

/** Static analysis of the bodies that may be read; a computed key on a message counts as a read. */
export function bodyReads(segments: readonly Segment[]): BodyReads {
  const read = new Set<Message>()
  for (const segment of segments) {
    if (typeof segment === 'string') continue
    visit(segment, (node) => {
      if (node.type !== 'member' && node.type !== 'method') return
      const key = node.type === 'method' ? node.name : literalKey(node)
      for (const message of messagesOf(node.target)) {
        if (key === undefined || bodyKeys[message].has(String(key))) read.add(message)
      }
    })
  }
  return { requestBody: read.has('request'), responseBody: read.has('response') }
}

function messagesOf(node: Node): readonly Message[] {
  switch (node.type) {
    case 'name':
      return named(node.name)
    case 'member': {
      const key = literalKey(node)
      if (key !== undefined) return named(String(key))
      // Only old files access a message through a map, named `exchange`.
      return node.target.type === 'name' && node.target.name === 'exchange' ? both : none
    }
    case 'method':
      return node.name === 'get'
        ? both
        : named(node.name.replace(/^get([A-Z])/, (_, letter: string) => letter.toLowerCase()))
    case 'ternary':
      return [...messagesOf(node.whenTrue), ...messagesOf(node.whenFalse)]
    default:
      return none
  }
}

function named(name: string): readonly Message[] {
  return name === 'request' || name === 'response' ? [name] : none
}
