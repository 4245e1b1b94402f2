import { HandlerKind } from '#contracts'
import { type Handler, reasonPhrase, respond } from '#http'
import { boolean, config, defineType } from '#schema'
import { POLICY, welcomePage } from './welcome-page.ts'

/** Responds with a page for a new gateway without routes. */
export const WelcomeHandler = defineType({
  name: 'WelcomeHandler',
  kind: HandlerKind,
  summary: 'Returns a start page with links to the documentation.',
  config: {
    rootOnly: config(boolean())
      .default(false)
      .meta({ description: 'True: other methods on `/` get 405, and other paths 404.' }),
  },
  create: ({ rootOnly }) => {
    const page = welcome(welcomePage({ studio: false }))
    return rootOnly ? onlyAtRoot(page) : page
  },
})

function onlyAtRoot(page: Handler): Handler {
  return async (exchange) => {
    const { method, uri } = exchange.request
    if (uri.path !== '/') return respond(404, {}, reasonPhrase(404))
    return method === 'GET' ? page(exchange) : respond(405, { Allow: 'GET' }, reasonPhrase(405))
  }
}

function welcome(page: string): Handler {
  return async () =>
    respond(
      200,
      {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Referrer-Policy': 'no-referrer',
        // Not cached, so that the first route for this URL is visible at once.
        'Cache-Control': 'no-store',
      },
      page,
    )
}
