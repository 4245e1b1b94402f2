/** Media type of a type that is dragged from the palette. */
export const TYPE_MEDIA = 'application/x-gateway-type'
/** Added for a filter: the data itself can be read only when it is dropped. */
export const FILTER_MEDIA = 'application/x-gateway-filter'
