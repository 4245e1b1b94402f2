/** Media type of a type that is dragged from the palette. */
export const TYPE_MEDIA = 'application/x-gateway-type'
