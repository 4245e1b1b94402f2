import { apiDescriptions } from '#crest'
import { ROUTE_ID } from '#instance'
import data from './routes-descriptions.json' with { type: 'json' }

const { endpoints, actions } = apiDescriptions(data)

/** Description of the routes of a router. */
export const ROUTES_DESCRIPTION = { ...endpoints.routes, idPattern: ROUTE_ID.source }

/** Descriptions of the actions of a router and of its routes. */
export const ROUTE_ACTIONS = actions
