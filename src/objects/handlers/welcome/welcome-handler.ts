import { HandlerKind } from '#contracts'
import { type Handler, respond } from '#http'
import { defineType } from '#schema'
import { POLICY, welcomePage } from './welcome-page.ts'

/** Responds with a page for a new gateway without routes. */
export const WelcomeHandler = defineType({
  name: 'WelcomeHandler',
  kind: HandlerKind,
  summary: 'Answers with a page that says the gateway is running and how to go on from there.',
  config: {},
  create: () => welcome(welcomePage({ studio: false })),
})

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
