// The cases: a route each, as OpenIG's documentation has them, and requests. UPSTREAM is the port of the application.
import type { GatewayCase, RecordedRequest } from '#test/case-requests'
import { CLOSED, chain, groovy, PROXY, redirected, says } from './case-routes.ts'

/** Cases with an intended difference. */
export const DIFFERENT: Readonly<Record<string, string>> = {
  'dot-segments': 'a path is forwarded without dot segments and empty segments, and escapes of the query are kept',
  find: 'OpenIG has no function find(), and does not load the route',
  'reverse-proxy-handler': 'OpenIG has no ReverseProxyHandler, and does not load the route',
  'header-number': 'a number as value of a header is its text; OpenIG leaves the header out',
  'location-elsewhere': 'only redirects to the application are rewritten; OpenIG rewrites redirects to any server',
}

const RICH: RecordedRequest = {
  path: '/some/Path%20x?a=1&a=2&b=x%20y&empty=&flag',
  headers: [
    ['X-T', 'one'],
    ['X-T', 'two'],
    ['Cookie', 'first=1; second=2'],
  ],
}
const FORM: RecordedRequest = {
  method: 'POST',
  headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  body: 'user=a%20b&user=c',
}
const get = (path: string): RecordedRequest => ({ path })

const ROUTING: readonly GatewayCase[] = [
  {
    id: 'no-route',
    group: 'router',
    what: 'a request without a route goes to the default handler',
    route: { handler: says('unused') },
    requests: [{ case: 'nothing' }],
  },
  {
    id: 'no-default',
    group: 'router',
    what: 'a Router without a route for the request, and without a default handler',
    route: { handler: { type: 'Router', name: 'empty', config: { directory: '${openig.configDirectory}/empty' } } },
    files: { 'config/empty/a.json': { condition: '${false}', handler: says('a') } },
    requests: [{}],
  },
  {
    id: 'matches',
    group: 'router',
    what: 'conditions with matches() in a Router of a route, in the order of names',
    route: { handler: { type: 'Router', name: 'nested', config: { directory: '${openig.configDirectory}/nested' } } },
    files: {
      'config/nested/b.json': { condition: "${matches(request.uri.path, '^/a')}", handler: says('b') },
      'config/nested/a.json': { condition: "${matches(request.uri.path, '^/a/?$')}", handler: says('a') },
    },
    requests: [get('/a'), get('/a/'), get('/ab'), get('/b')],
  },
  {
    id: 'find',
    group: 'router',
    what: 'a condition with find()',
    route: { condition: "${find(request.headers['X-Case'][0], '^find$')}", handler: says('found') },
    requests: [{}],
  },
  {
    id: 'dispatch',
    group: 'handler',
    what: 'DispatchHandler with conditions, a base URI and a last resort',
    route: {
      handler: {
        type: 'DispatchHandler',
        config: {
          bindings: [
            { condition: "${request.method == 'POST'}", handler: says('post') },
            {
              condition: "${matches(request.uri.path, '^/up')}",
              baseURI: 'http://127.0.0.1:UPSTREAM',
              handler: 'ClientHandler',
            },
            { handler: says('rest') },
          ],
        },
      },
    },
    requests: [FORM, get('/up?x=1'), get('/elsewhere')],
  },
  {
    id: 'unknown-type',
    group: 'router',
    what: 'a route with an unknown type is not loaded, and the others are',
    route: { handler: { type: 'NoSuchHandler' } },
    requests: [{}, { case: 'no-route' }],
  },
]

const HANDLERS: readonly GatewayCase[] = [
  {
    id: 'static',
    group: 'handler',
    what: 'StaticResponseHandler with status, headers and expressions',
    route: {
      handler: {
        type: 'StaticResponseHandler',
        config: {
          status: 201,
          headers: { 'Content-Type': ['text/plain; charset=ISO-8859-1'], 'X-A': ['1', '${request.method}'] },
          entity:
            "é [${request.uri.path}] [${request.form['a'][1]}] [${request.headers['X-T'][0]}] [${request.cookies.second.value}]",
        },
      },
    },
    requests: [RICH],
  },
  {
    id: 'redirect',
    group: 'handler',
    what: 'a redirect with an encoded URI',
    route: {
      handler: {
        type: 'StaticResponseHandler',
        config: { status: 302, headers: { Location: ['/login?goto=${urlEncode(request.uri.path)}'] } },
      },
    },
    requests: [RICH],
  },
  {
    id: 'proxy',
    group: 'proxy',
    what: 'baseURI and ClientHandler: methods, bodies, paths and queries',
    route: PROXY,
    requests: [
      RICH,
      FORM,
      { ...FORM, chunked: true },
      { method: 'PUT', body: '<5000 bytes>' },
      { method: 'DELETE' },
      { method: 'HEAD' },
      { method: 'OPTIONS' },
      { headers: [['Host', 'www.example.com']] },
    ],
  },
  {
    id: 'dot-segments',
    group: 'proxy',
    what: 'a path with dot segments and empty ones, and an escaped query',
    route: PROXY,
    requests: [get('/a/../b//c?x=%2F')],
  },
  {
    id: 'refused',
    group: 'proxy',
    what: 'an application that does not listen',
    route: { baseURI: CLOSED, handler: 'ClientHandler' },
    requests: [{}],
  },
  {
    id: 'reverse-proxy-handler',
    group: 'proxy',
    what: 'ReverseProxyHandler',
    route: { ...PROXY, handler: { type: 'ReverseProxyHandler' } },
    requests: [{}],
  },
  {
    id: 'sequence',
    group: 'handler',
    what: 'SequenceHandler until a postcondition does not hold',
    route: {
      handler: {
        type: 'SequenceHandler',
        config: {
          bindings: [
            { handler: says('1'), postcondition: '${response.status.code == 200}' },
            { handler: says('2', 201), postcondition: '${response.status.code == 200}' },
            { handler: says('3') },
          ],
        },
      },
    },
    requests: [{}],
  },
]

const FILTERS: readonly GatewayCase[] = [
  {
    id: 'header-filter',
    group: 'filter',
    what: 'HeaderFilter on requests and responses',
    route: chain(
      {
        type: 'HeaderFilter',
        config: { messageType: 'REQUEST', remove: ['x-t'], add: { 'X-New': ['${request.method}', 'b'] } },
      },
      {
        type: 'HeaderFilter',
        config: {
          messageType: 'RESPONSE',
          remove: ['Content-Type'],
          add: { 'X-Back': ['${response.status.reasonPhrase}'] },
        },
      },
    ),
    requests: [RICH],
  },
  {
    id: 'header-number',
    group: 'filter',
    what: 'a number as value of a HeaderFilter',
    route: chain({
      type: 'HeaderFilter',
      config: { messageType: 'RESPONSE', add: { 'X-Back': ['${response.status.code}'] } },
    }),
    requests: [{}],
  },
  {
    id: 'switch-filter',
    group: 'filter',
    what: 'SwitchFilter on requests and responses',
    route: chain({
      type: 'SwitchFilter',
      config: {
        onRequest: [{ condition: "${request.method == 'POST'}", handler: says('switched') }],
        onResponse: [
          { condition: '${response.status.code == 404}', handler: says('never') },
          { condition: "${request.uri.path == '/other'}", handler: says('after') },
        ],
      },
    }),
    requests: [FORM, get('/other'), get('/p')],
  },
  {
    id: 'conditions',
    group: 'filter',
    what: 'ConditionalFilter and ConditionEnforcementFilter',
    route: chain(
      {
        type: 'ConditionalFilter',
        config: {
          condition: "${not empty request.form['a']}",
          delegate: {
            type: 'HeaderFilter',
            config: { messageType: 'REQUEST', add: { 'X-A': ["${request.form['a'][0]}"] } },
          },
        },
      },
      { type: 'ConditionEnforcementFilter', config: { condition: "${request.method == 'GET'}" } },
    ),
    requests: [RICH, {}, FORM],
  },
  {
    id: 'assignment',
    group: 'filter',
    what: 'AssignmentFilter: a session over requests, and a header of the response',
    keepCookies: true,
    route: {
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'AssignmentFilter',
              config: {
                onRequest: [{ target: '${session.n}', value: '${session.n + 1}' }],
                onResponse: [{ target: "${response.headers['X-N']}", value: "${array('n', 'm')}" }],
              },
            },
          ],
          handler: says('[${session.n}]'),
        },
      },
    },
    requests: [{}, {}, {}],
  },
  {
    id: 'static-request',
    group: 'filter',
    what: 'StaticRequestFilter with a form',
    route: chain({
      type: 'StaticRequestFilter',
      config: {
        method: 'POST',
        uri: 'http://127.0.0.1:UPSTREAM/login',
        headers: { 'X-From': ['${request.uri.path}'] },
        form: { other: ['ä&=', '2'], user: ["${request.form['b'][0]}"] },
      },
    }),
    requests: [RICH],
  },
  {
    id: 'location-header',
    group: 'filter',
    what: 'LocationHeaderFilter: a redirect to the application',
    route: redirected('http://127.0.0.1:UPSTREAM'),
    requests: [get('/x/y')],
  },
  {
    id: 'location-elsewhere',
    group: 'filter',
    what: 'LocationHeaderFilter: a redirect to another server',
    route: redirected('http://other.example.com:8080'),
    requests: [get('/x/y')],
  },
  {
    id: 'entity-extract',
    group: 'filter',
    what: 'EntityExtractFilter of a response',
    route: chain(
      {
        type: 'AssignmentFilter',
        config: {
          onResponse: [
            { target: "${response.headers['X-Line']}", value: "${attributes.found['line']}" },
            { target: "${response.headers['X-None']}", value: "none: ${attributes.found['none']}" },
          ],
        },
      },
      {
        type: 'EntityExtractFilter',
        config: {
          messageType: 'RESPONSE',
          target: '${attributes.found}',
          bindings: [
            { key: 'line', pattern: 'up (\\w+) (.*)', template: '$2 by $1' },
            { key: 'none', pattern: 'down', template: 'x' },
          ],
        },
      },
    ),
    requests: [get('/page')],
  },
  {
    id: 'throttling',
    group: 'filter',
    what: 'ThrottlingFilter: three of five requests',
    route: {
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'ThrottlingFilter', config: { rate: { numberOfRequests: 3, duration: '1 hour' } } }],
          handler: says('ok'),
        },
      },
    },
    requests: [{ times: 5 }],
  },
]

const SCRIPTS: readonly GatewayCase[] = [
  {
    id: 'groovy-filter',
    group: 'groovy',
    what: 'a Groovy filter before and after the application',
    route: chain(
      groovy(
        'ScriptableFilter',
        "request.headers.put('X-Script', ['a', request.uri.path]); next.handle(context, request).then { response -> response.headers.put('X-Back', response.entity.string.toUpperCase()); response }",
      ),
    ),
    requests: [RICH],
  },
  {
    id: 'groovy-handler',
    group: 'groovy',
    what: 'a Groovy handler with JSON of the form and the cookies',
    route: {
      handler: groovy(
        'ScriptableHandler',
        "import groovy.json.JsonOutput\ndef r = new Response(Status.OK)\nr.headers.put('Content-Type', 'application/json')\nr.entity.string = JsonOutput.toJson([form: request.form, first: request.cookies['first']*.value, query: new Form().fromQueryString('a&b=1'), content: new Form().fromFormString('a&b=1'), either: new Form().fromString('a&b=1'), tokens: 'a,b'.tokenize(',')])\nr",
      ),
    },
    requests: [RICH],
  },
]

export const CASES: readonly GatewayCase[] = [...ROUTING, ...HANDLERS, ...FILTERS, ...SCRIPTS]
