import { HandlerKind } from '#contracts'
import { type Handler, respond } from '#http'
import { defineType } from '#schema'
import { POLICY, welcomePage } from './welcome-page.ts'

/** Shows that the gateway works, and what to do next. */
export const WelcomeHandler = defineType({
  name: 'WelcomeHandler',
  kind: HandlerKind,
  summary: 'Answers with a page that says the gateway is running and how to go on from there.',
  config: {},
  create: () => welcome(welcomePage({ studio: false })),
})

/** Answers every request with the page. */
function welcome(page: string): Handler {
  return async () =>
    respond(
      200,
      {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Referrer-Policy': 'no-referrer',
        // The page gives way to the first route for its address, which must show at once.
        'Cache-Control': 'no-store',
      },
      page,
    )
}
