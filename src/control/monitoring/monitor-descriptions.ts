import { apiDescriptions } from '#crest'
import data from './monitor-descriptions.json' with { type: 'json' }

/** Descriptions of the endpoints and actions of monitoring. */
export const MONITOR_DESCRIPTIONS = apiDescriptions(data)
