import { apiDescriptions } from '#crest'
import data from './admin-descriptions.json' with { type: 'json' }

/** Descriptions of the endpoints and actions of the gateway itself: information, types, the session of the Studio. */
export const ADMIN_DESCRIPTIONS = apiDescriptions(data)
