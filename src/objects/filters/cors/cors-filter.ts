import { FilterKind, HandlerKind } from '#contracts'
import { type Handler, respond } from '#http'
import { boolean, config, defineType, duration, list, object, ref, renames, token } from '#schema'
import { crossOrigin, type Policy } from './cross-origin.ts'
import { anyOrSome, origin } from './policy-fields.ts'

const policy = object(
  {
    acceptedOrigins: anyOrSome(origin(), 'origins').meta({
      description: 'Origins whose pages may send requests, or `"*"` for all.',
    }),
    acceptedMethods: anyOrSome(token('a method'), 'methods')
      .default([])
      .meta({ description: 'Methods that such pages may use besides GET, HEAD and POST, or `"*"` for all.' }),
    acceptedHeaders: anyOrSome(token('a header name'), 'header names')
      .default([])
      .meta({ description: 'Request headers that such pages may set besides the safelisted ones, or `"*"` for all.' }),
    exposedHeaders: list(config(token('a header name')))
      .default([])
      .meta({ description: 'Response headers that such pages may read besides the safelisted ones.' }),
    maxAge: config(duration({ unlimited: false }))
      .optional()
      .meta({
        description: 'How long a browser may cache the response to a preflight; the browser decides by default.',
      }),
    allowCredentials: config(boolean())
      .default(false)
      .meta({ description: 'Whether such pages may send cookies and other credentials of the user.' }),
  },
  { older: renames({ origins: 'acceptedOrigins' }) },
)

/** The CORS protocol (WHATWG Fetch). */
export const CorsFilter = defineType({
  name: 'CorsFilter',
  kind: FilterKind,
  summary: 'Enforces cross-origin resource sharing (CORS) for an application.',
  diverts: { failureHandler: [] },
  config: {
    policies: list(policy, { nonEmpty: true }).meta({
      description: 'Policies; the first that accepts the origin applies.',
    }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles requests that no policy accepts; 403 without content by default.' }),
  },
  check: ({ policies }, report) => {
    for (const [at, { acceptedOrigins, exposedHeaders, allowCredentials }] of policies.entries()) {
      if (!allowCredentials) continue
      if (acceptedOrigins.includes('*')) {
        const reason = 'any site could act with the credentials of its visitors'
        report(
          `/policies/${at}/allowCredentials`,
          `expected false with all origins, got true: ${reason}; list the origins`,
        )
      }
      if (exposedHeaders.includes('*')) {
        const reason = 'browsers take "*" for a header name where there are credentials'
        report(`/policies/${at}/exposedHeaders`, `expected header names, got "*": ${reason}; list the headers`)
      }
    }
  },
  create: ({ policies, failureHandler }, env) => crossOrigin(policies.map(prepared), failureHandler ?? refuse, env),
})

const refuse: Handler = async () => respond(403)

interface Written {
  readonly acceptedOrigins: '*' | readonly string[]
  readonly acceptedMethods: '*' | readonly string[]
  readonly acceptedHeaders: '*' | readonly string[]
  readonly exposedHeaders: readonly string[]
  readonly maxAge?: number | undefined
  readonly allowCredentials: boolean
}

function prepared(written: Written): Policy {
  const { acceptedOrigins, acceptedMethods, acceptedHeaders, exposedHeaders, maxAge, allowCredentials } = written
  return {
    origins: acceptedOrigins.includes('*') ? '*' : new Set(acceptedOrigins),
    methods: acceptedMethods.includes('*') ? '*' : new Set(acceptedMethods),
    headers: acceptedHeaders.includes('*') ? '*' : new Set([...acceptedHeaders].map((name) => name.toLowerCase())),
    exposed: exposedHeaders.length === 0 ? null : exposedHeaders.join(', '),
    maxAge: maxAge === undefined ? null : String(Math.floor(maxAge / 1000)),
    credentials: allowCredentials,
  }
}
