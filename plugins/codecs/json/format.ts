/** What a profile as JSON says of itself: "format" and "version" of schemas/profile.schema.json. */
export const FORMAT = 'profpipe-profile';
export const VERSION = 1;
