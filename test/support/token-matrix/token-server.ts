// An authorization server that answers with the bytes of a test.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpUpstream } from '../upstream.ts'

interface Answer {
  readonly type: string
  readonly content: string | Buffer
}

export interface TokenServer extends AsyncDisposable {
  readonly url: string
  /** By endpoint and token or code. */
  readonly answers: Map<string, Answer>
}

/** Opens a server with a public key; `id` of a resource is that of UMA. */
export async function tokenServer(publicKey: object, { resourceId }: { resourceId: string }): Promise<TokenServer> {
  const answers = new Map<string, Answer>()
  const upstream = await httpUpstream(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://a')
    const fixed = fixedAnswers(upstream.url, publicKey, resourceId)[pathname]
    if (fixed !== undefined) return send(response, fixed.status ?? 200, jsonAnswer(fixed.content))
    const name = subjectOf(request, new URLSearchParams(Buffer.concat(chunks).toString('latin1')), searchParams)
    send(response, 200, answers.get(`${pathname} ${name}`) ?? jsonAnswer({ active: false }))
  })
  return { url: upstream.url, answers, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() }
}

/** The code or token that a request is about. */
function subjectOf({ headers }: IncomingMessage, form: URLSearchParams, query: URLSearchParams): string {
  const bearer = headers.authorization?.replace(/^Bearer /, '') ?? ''
  return form.get('code') ?? form.get('token') ?? query.get('access_token') ?? bearer
}

function fixedAnswers(
  url: string,
  publicKey: object,
  resourceId: string,
): Readonly<Record<string, { readonly status?: number; readonly content: object }>> {
  return {
    '/.well-known/openid-configuration': {
      content: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/userinfo`,
        jwks_uri: `${url}/jwks`,
        id_token_signing_alg_values_supported: ['ES256'],
      },
    },
    '/jwks': { content: { keys: [publicKey] } },
    '/uma/.well-known/uma2-configuration': {
      content: {
        issuer: `${url}/uma`,
        introspection_endpoint: `${url}/introspect`,
        permission_endpoint: `${url}/uma/permission`,
        resource_registration_endpoint: `${url}/uma/resource`,
      },
    },
    '/uma/resource': { status: 201, content: { _id: resourceId } },
    '/uma/permission': { status: 201, content: { ticket: 'ticket' } },
  }
}

/** A JSON response. */
export function jsonAnswer(content: unknown): Answer {
  return { type: 'application/json', content: JSON.stringify(content) }
}

function send(response: ServerResponse, status: number, { type, content }: Answer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content) }).end(content)
}
